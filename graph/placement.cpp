// Facts, the order in which backends are asked, single nodes, and groups of nodes that share a KV cache.
#include "graph/placement.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "graph/index.hpp"
#include "graph/storage.hpp"

namespace weft::graph {
namespace {

using Backends = std::span<const std::shared_ptr<Backend>>;

/// Numbers of layers and where they lie in the execution order.
struct LayerExtent {
  std::int64_t layers = 0;
  std::size_t first_node = 0;  ///< of any layer

  explicit LayerExtent(const Graph& graph) : first_node(graph.nodes.size()) {
    for (std::size_t n = graph.nodes.size(); n-- > 0;) {
      if (graph.nodes[n].layer < 0) continue;
      layers = std::max(layers, std::int64_t{graph.nodes[n].layer} + 1);
      first_node = n;
    }
  }
  [[nodiscard]] std::int64_t from_end(const Graph& graph, std::size_t node) const {
    const int layer = graph.nodes[node].layer;
    if (layer >= 0) return layers - layer;
    return node < first_node ? layers + 1 : 1;
  }
};

struct FactValues {
  std::string_view op;
  const PlanOptions* options = nullptr;
  std::int64_t layer = -1;
  std::int64_t layers_from_end = 1;
  std::int64_t layers = 0;
};

Facts placement_facts(const FactValues& v, Backends backends) {
  std::vector<std::string> names;
  for (const auto& backend : backends) names.emplace_back(backend->name());
  const std::int64_t gpu_layers = v.options->gpu_layers < 0 ? v.layers + 1 : v.options->gpu_layers;
  Facts facts;
  facts.set("op", v.op)
      .set("phase", name_of(v.options->phase))
      .set("precision", name_of(v.options->precision))
      .set("tokens", v.options->limits.tokens)
      .set("sequences", v.options->limits.sequences)
      .set("layer", v.layer)
      .set("layers_from_end", v.layers_from_end)
      .set("gpu_layers_left", gpu_layers - v.layers_from_end)
      .set("backends", std::move(names));
  return facts;
}

/// What a node is asked with, and whom in turn.
struct Inquiry {
  OpCall call;
  std::vector<std::size_t> order;  ///< indices of backends
  std::string rule;
  std::vector<std::string> refusals;  ///< of a backend that the rules name but the user doesn't
};

class Placer {
 public:
  Placer(const Graph& graph, const PlanOptions& options, const RuleTable& rules, Backends backends)
      : graph_(graph), options_(options), rules_(rules), backends_(backends), extent_(graph) {}

  Result<Placement> run() {
    const auto storage = resolve_storage(graph_);
    if (!storage) return error_of(storage);
    placement_.nodes.resize(graph_.nodes.size());
    done_.assign(graph_.nodes.size(), false);
    for (const auto& group : state_users(graph_, *storage)) {
      if (Status ok = place_group(group); !ok) return error_of(ok);
    }
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (done_[n] || is_view(graph_.nodes[n].op)) continue;
      if (Status ok = place_node(n); !ok) return error_of(ok);
    }
    return std::move(placement_);
  }

 private:
  Inquiry inquire(std::size_t n) const {
    const Node& node = graph_.nodes[n];
    const FactValues values{.op = name_of(node.op),
                            .options = &options_,
                            .layer = node.layer,
                            .layers_from_end = extent_.from_end(graph_, n),
                            .layers = extent_.layers};
    const RuleMatch match = rules_.match(placement_facts(values, backends_));
    Inquiry inquiry{call_of(graph_, node, options_), {}, {}, {}};
    std::size_t first = 0;
    if (match.index) {
      const Rule& rule = rules_.rules()[*match.index];
      inquiry.rule = fmt::format("{}#{}: {}", rules_.source(), *match.index + 1, rule.why);
      const auto named = std::ranges::find(backends_, rule.use, [](const auto& b) { return b->name(); });
      if (named != backends_.end()) {
        first = static_cast<std::size_t>(named - backends_.begin());
      } else if (rule.use != "first") {
        inquiry.refusals.push_back(fmt::format("{}: named by the rule, but not among the backends in use", rule.use));
      }
    }
    for (std::size_t i = 0; i < backends_.size(); ++i) inquiry.order.push_back((first + i) % backends_.size());
    return inquiry;
  }

  std::string refusal(std::size_t backend, std::string_view why) const {
    return fmt::format("{}: {}", backends_[backend]->name(), why);
  }

  /// Asks the backends of `order` until one selects the call; the others' reasons become refusals.
  bool ask(std::size_t n, const Inquiry& inquiry, std::span<const std::size_t> order) {
    NodePlacement& placed = placement_.nodes[n];
    for (const std::size_t b : order) {
      auto selection = backends_[b]->select(inquiry.call);
      if (!selection) {
        placed.refusals.push_back(refusal(b, selection.error().message));
        continue;
      }
      placed.backend = b;
      placed.selection = std::move(*selection);
      done_[n] = true;
      return true;
    }
    return false;
  }

  void begin(std::size_t n, const Inquiry& inquiry) {
    placement_.nodes[n].rule = inquiry.rule;
    placement_.nodes[n].refusals = inquiry.refusals;
  }

  Status none_runs(std::size_t n) const {
    return fail(ErrorCode::unsupported, "node {} ({}): no backend runs it: {}; add another to --backend",
                graph_.nodes[n].name, name_of(graph_.nodes[n].op), fmt::join(placement_.nodes[n].refusals, "; "));
  }

  Status place_node(std::size_t n) {
    const Inquiry inquiry = inquire(n);
    begin(n, inquiry);
    return ask(n, inquiry, inquiry.order) ? Status{} : none_runs(n);
  }

  std::string_view domain(std::size_t backend) const { return backends_[backend]->device().memory_domain; }

  /// The memory domains in the order in which the group's first node asks its backends.
  std::vector<std::string_view> domains_in(const std::vector<std::size_t>& order) const {
    std::vector<std::string_view> domains;
    for (const std::size_t b : order) {
      if (std::ranges::find(domains, domain(b)) == domains.end()) domains.push_back(domain(b));
    }
    return domains;
  }

  /// The first node of the group that nothing in the domain runs, or none when all are placed.
  std::optional<std::size_t> place_in(std::string_view where, std::span<const NodeId> group,
                                      std::span<const Inquiry> inquiries) {
    for (std::size_t i = 0; i < group.size(); ++i) {
      std::vector<std::size_t> order;
      std::ranges::copy_if(inquiries[i].order, std::back_inserter(order),
                           [&](std::size_t b) { return domain(b) == where; });
      const auto n = static_cast<std::size_t>(group[i]);
      if (!ask(n, inquiries[i], order)) return n;
    }
    return std::nullopt;
  }

  Status place_group(std::span<const NodeId> group) {
    if (group.empty()) return {};
    std::vector<Inquiry> inquiries;
    for (const NodeId n : group) {
      inquiries.push_back(inquire(static_cast<std::size_t>(n)));
      begin(static_cast<std::size_t>(n), inquiries.back());
    }
    std::optional<std::size_t> stuck;
    for (const std::string_view where : domains_in(inquiries.front().order)) {
      stuck = place_in(where, group, inquiries);
      if (!stuck) return {};
      // The whole group moves on: its cache lies in one memory.
      for (const NodeId n : group) forget(static_cast<std::size_t>(n), *stuck, where);
    }
    return none_runs(*stuck);
  }

  void forget(std::size_t n, std::size_t stuck, std::string_view where) {
    NodePlacement& placed = placement_.nodes[n];
    if (n != stuck) {
      const std::string who = placed.backend ? std::string(backends_[*placed.backend]->name()) : std::string(where);
      placed.refusals.push_back(
          fmt::format("{}: node {} of the same KV cache can't run in {} memory", who, graph_.nodes[stuck].name, where));
    }
    placed.backend.reset();
    placed.selection = {};
    done_[n] = false;
  }

  const Graph& graph_;
  const PlanOptions& options_;
  const RuleTable& rules_;
  Backends backends_;
  LayerExtent extent_;
  Placement placement_;
  std::vector<bool> done_;
};

/// Any facts will do: they fix the names and kinds.
RuleVocabulary vocabulary(Backends backends) {
  static constexpr std::string_view example_op = "rms_norm";
  const PlanOptions options;
  RuleVocabulary words;
  words.facts = placement_facts({.op = example_op, .options = &options}, backends);
  words.choices = {"first", "opencl", "cpu", "reference"};
  words.every_choice_used = false;
  for (const auto& backend : backends) {
    if (std::ranges::find(words.choices, backend->name()) == words.choices.end()) {
      words.choices.emplace_back(backend->name());
    }
  }
  return words;
}

}  // namespace

OpCall call_of(const Graph& graph, const Node& node, const PlanOptions& options) {
  return {node.op, descs_of(graph, node.inputs), descs_of(graph, node.outputs), options.phase, options.precision};
}

Result<RuleTable> load_placement_rules(std::span<const RuleOverride> overrides, Backends backends) {
  if (overrides.size() > 1) {
    return fail(ErrorCode::invalid_argument, "{}: {} has a placement table already; give one", overrides[1].source,
                overrides[0].source);
  }
  const EmbeddedFile& own = embedded_rules().front();
  const std::string_view source = overrides.empty() ? own.path : std::string_view(overrides[0].source);
  const std::string_view text = overrides.empty() ? own.text : std::string_view(overrides[0].text);
  auto table = RuleTable::parse(text, source, vocabulary(backends));
  if (!table) return table;
  if (table->op() != "placement") {
    return fail(ErrorCode::invalid_file, "{}: a table for op \"{}\", wanted \"placement\"", source, table->op());
  }
  return table;
}

Result<Placement> place(const Graph& graph, const PlanOptions& options, const RuleTable& rules, Backends backends) {
  return Placer(graph, options, rules, backends).run();
}

}  // namespace weft::graph
