// Steps of a session: inputs are cut into ragged batches, run by the plan that fits, and committed at the end.
#include "models/session.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/kv_store.hpp"

namespace weft::models {
namespace {

/// The host side of one step's inputs, sized once for the largest step.
struct StepBuffers {
  std::vector<TokenId> ids;
  std::vector<std::int32_t> positions, sequences, kv_table, kv_lengths, output_rows;

  void reserve(std::int64_t tokens, std::int64_t sequence_count) {
    for (auto* v : {&ids, &positions, &sequences, &output_rows}) v->reserve(static_cast<std::size_t>(tokens));
    for (auto* v : {&kv_table, &kv_lengths}) v->reserve(static_cast<std::size_t>(sequence_count));
  }
  void clear() {
    for (auto* v : {&ids, &positions, &sequences, &kv_table, &kv_lengths, &output_rows}) v->clear();
  }
  [[nodiscard]] std::array<std::span<const std::byte>, step_inputs> views() const {
    return {std::as_bytes(std::span(ids)),        std::as_bytes(std::span(positions)),
            std::as_bytes(std::span(sequences)),  std::as_bytes(std::span(kv_table)),
            std::as_bytes(std::span(kv_lengths)), std::as_bytes(std::span(output_rows))};
  }
};

class SessionImpl final : public Session {
 public:
  SessionImpl(std::shared_ptr<const Model> model, std::vector<std::shared_ptr<Backend>> backends, KvStore store,
              std::unique_ptr<graph::Plan> decode, std::unique_ptr<graph::Plan> prefill, std::int64_t context,
              std::int64_t sequences)
      : model_(std::move(model)),
        backends_(std::move(backends)),
        store_(std::move(store)),
        decode_(std::move(decode)),
        prefill_(std::move(prefill)),
        context_(context),
        lengths_(static_cast<std::size_t>(sequences), 0) {
    step_.reserve(prefill_->limits().tokens, sequences);
  }

  Result<std::span<const float>> evaluate(std::span<const SequenceInput> inputs) override {
    if (Status ok = check(inputs); !ok) return error_of(ok);
    std::int64_t rows = 0;
    std::int64_t longest = 0;
    for (const SequenceInput& in : inputs) {
      const auto count = static_cast<std::int64_t>(in.tokens.size());
      rows += in.logits == Logits::all ? count : (in.logits == Logits::last && count > 0 ? 1 : 0);
      longest = std::max(longest, length(in.sequence) + count);
    }
    if (Status ok = store_.reserve(longest); !ok) return error_of(ok);
    const auto vocab = static_cast<std::size_t>(model_->spec().vocab);
    // One row more than wanted: a step that wants no logits still computes one.
    logits_.resize((static_cast<std::size_t>(rows) + 1) * vocab);
    next_row_ = 0;
    if (Status ok = run_all(inputs); !ok) return error_of(ok);
    for (const SequenceInput& in : inputs) {
      lengths_[static_cast<std::size_t>(in.sequence)] += static_cast<std::int64_t>(in.tokens.size());
    }
    return std::span<const float>(logits_.data(), static_cast<std::size_t>(rows) * vocab);
  }

  std::int64_t length(std::int64_t sequence) const override { return lengths_[static_cast<std::size_t>(sequence)]; }

  Status truncate(std::int64_t sequence, std::int64_t new_length) override {
    if (sequence < 0 || sequence >= static_cast<std::int64_t>(lengths_.size())) return no_such_sequence(sequence);
    if (new_length < 0 || new_length > length(sequence)) {
      return fail(ErrorCode::invalid_argument, "sequence {} holds {} tokens and can't be cut to {}", sequence,
                  length(sequence), new_length);
    }
    lengths_[static_cast<std::size_t>(sequence)] = new_length;
    return {};
  }

  std::int64_t context() const override { return context_; }
  const Model& model() const override { return *model_; }
  SessionMemory memory() const override {
    return {store_.bytes(), decode_->report().arena_bytes + prefill_->report().arena_bytes};
  }
  graph::Plan& plan(Phase phase) override { return phase == Phase::decode ? *decode_ : *prefill_; }
  void set_cancel(std::function<bool()> cancelled) override { cancelled_ = std::move(cancelled); }

 private:
  Status no_such_sequence(std::int64_t sequence) const {
    return fail(ErrorCode::invalid_argument, "there is no sequence {}; the session has {}", sequence, lengths_.size());
  }

  Status check(std::span<const SequenceInput> inputs) const {
    std::vector<bool> seen(lengths_.size());
    for (const SequenceInput& in : inputs) {
      if (in.sequence < 0 || in.sequence >= static_cast<std::int64_t>(lengths_.size())) {
        return no_such_sequence(in.sequence);
      }
      if (seen[static_cast<std::size_t>(in.sequence)]) {
        return fail(ErrorCode::invalid_argument, "sequence {} is given twice in one call", in.sequence);
      }
      seen[static_cast<std::size_t>(in.sequence)] = true;
      const std::int64_t end = length(in.sequence) + static_cast<std::int64_t>(in.tokens.size());
      if (end > context_) {
        return fail(ErrorCode::context_overflow,
                    "{} tokens do not fit the context of {}; use a larger context (-c {}) or a shorter text", end,
                    context_, end);
      }
      for (const TokenId id : in.tokens) {
        if (id < 0 || id >= model_->spec().vocab) {
          return fail(ErrorCode::invalid_token, "token id {} is outside the vocabulary of {}", id,
                      model_->spec().vocab);
        }
      }
    }
    return {};
  }

  /// Cuts the inputs into steps of at most the prefill plan's tokens and outputs.
  Status run_all(std::span<const SequenceInput> inputs) {
    const graph::PlanLimits& most = prefill_->limits();
    step_.clear();
    for (const SequenceInput& in : inputs) {
      const std::int64_t start = length(in.sequence);
      bool opened = false;  // whether this sequence has its slot in the step being filled
      for (std::size_t i = 0; i < in.tokens.size(); ++i) {
        const bool wanted = in.logits == Logits::all || (in.logits == Logits::last && i + 1 == in.tokens.size());
        const bool full = static_cast<std::int64_t>(step_.ids.size()) == most.tokens ||
                          (wanted && static_cast<std::int64_t>(step_.output_rows.size()) == most.outputs);
        if (full) {
          if (Status ok = run_step(); !ok) return ok;
          opened = false;
        }
        if (!opened) open_slot(in.sequence);
        opened = true;
        add_token(in.tokens[i], start + static_cast<std::int64_t>(i), wanted);
      }
    }
    return step_.ids.empty() ? Status{} : run_step();
  }

  void open_slot(std::int64_t sequence) {
    step_.kv_table.push_back(static_cast<std::int32_t>(store_.first_row(sequence)));
    step_.kv_lengths.push_back(0);
  }

  void add_token(TokenId id, std::int64_t position, bool wanted) {
    if (wanted) step_.output_rows.push_back(static_cast<std::int32_t>(step_.ids.size()));
    step_.ids.push_back(id);
    step_.positions.push_back(static_cast<std::int32_t>(position));
    step_.sequences.push_back(static_cast<std::int32_t>(step_.kv_table.size() - 1));
    step_.kv_lengths.back() = static_cast<std::int32_t>(position + 1);
  }

  Status run_step() {
    if (cancelled_ && cancelled_()) return fail(ErrorCode::cancelled, "stopped before the step was done");
    const std::size_t wanted = step_.output_rows.size();
    if (wanted == 0) step_.output_rows.push_back(0);
    const auto tokens = static_cast<std::int64_t>(step_.ids.size());
    const auto slots = static_cast<std::int64_t>(step_.kv_table.size());
    graph::Plan& plan = tokens <= decode_->limits().tokens && slots <= decode_->limits().sequences &&
                                static_cast<std::int64_t>(step_.output_rows.size()) <= decode_->limits().outputs
                            ? *decode_
                            : *prefill_;
    SymbolValues symbols;
    symbols.set(Symbol::tokens, tokens)
        .set(Symbol::sequences, slots)
        .set(Symbol::outputs, static_cast<std::int64_t>(step_.output_rows.size()))
        .set(Symbol::kv_len, *std::ranges::max_element(step_.kv_lengths))
        .set(Symbol::kv_rows, store_.total_rows());
    const auto vocab = static_cast<std::size_t>(model_->spec().vocab);
    const std::span<float> rows(logits_.data() + next_row_ * vocab, step_.output_rows.size() * vocab);
    const auto inputs = step_.views();
    const std::array<std::span<std::byte>, 1> outputs{std::as_writable_bytes(rows)};
    if (Status ok = plan.run({inputs, store_.views(), outputs}, symbols); !ok) return ok;
    if (Status ok = check_finite(rows.first(wanted * vocab), vocab); !ok) return ok;
    next_row_ += wanted;
    step_.clear();
    return {};
  }

  /// NaN or Inf logits must not reach a sampler, nor the step's keys and values become part of the sequence.
  Status check_finite(std::span<const float> rows, std::size_t vocab) const {
    for (std::size_t r = 0; r * vocab < rows.size(); ++r) {
      float sum = 0;  // x - x is 0 for numbers and NaN otherwise
      for (const float x : rows.subspan(r * vocab, vocab)) sum += x - x;
      if (sum == 0) continue;
      const auto token = static_cast<std::size_t>(step_.output_rows[r]);
      return fail(ErrorCode::non_finite,
                  "the logits (op output, after layer {}) at position {} hold NaN or Inf; "
                  "the file's weights may be damaged",
                  model_->spec().layers.size() - 1, step_.positions[token]);
    }
    return {};
  }

  std::shared_ptr<const Model> model_;
  std::vector<std::shared_ptr<Backend>> backends_;
  KvStore store_;
  std::unique_ptr<graph::Plan> decode_;
  std::unique_ptr<graph::Plan> prefill_;
  std::int64_t context_ = 0;
  std::vector<std::int64_t> lengths_;
  StepBuffers step_;
  std::vector<float> logits_;
  std::size_t next_row_ = 0;
  std::function<bool()> cancelled_;
};

Status check_options(const SessionOptions& options) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const auto in_range = [](std::string_view what, std::int64_t value, std::int64_t least,
                           std::int64_t limit) -> Status {
    if (value >= least && value <= limit) return {};
    return fail(ErrorCode::invalid_argument, "{} is {}, wanted {} to {}", what, value, least, limit);
  };
  if (Status ok = in_range("context (-c)", options.context, 0, most); !ok) return ok;
  if (Status ok = in_range("chunk (-ub)", options.chunk, 1, 65536); !ok) return ok;
  if (Status ok = in_range("sequences", options.sequences, 1, 4096); !ok) return ok;
  return in_range("outputs", options.outputs, 0, most);
}

Result<std::unique_ptr<graph::Plan>> make_plan(const graph::Graph& graph, const SessionOptions& options, Phase phase,
                                               const graph::PlanLimits& limits,
                                               std::span<const std::shared_ptr<Backend>> backends) {
  graph::PlanOptions plan;
  plan.limits = limits;
  plan.phase = phase;
  plan.precision = options.precision;
  plan.fuse = options.fuse;
  plan.gpu_layers = options.gpu_layers;
  plan.placement_rules = options.placement_rules;
  plan.observer = options.observer;
  return graph::Plan::compile(graph, plan, backends);
}

}  // namespace

Result<std::unique_ptr<Session>> Session::make(std::shared_ptr<const Model> model,
                                               std::vector<std::shared_ptr<Backend>> backends,
                                               const SessionOptions& options) {
  if (Status ok = check_options(options); !ok) return error_of(ok);
  const auto lowered = model->lower({options.k_type, options.v_type});
  if (!lowered) return error_of(lowered);
  const std::int64_t context = options.context > 0 ? options.context : model->spec().context;
  const std::int64_t outputs = options.outputs > 0 ? options.outputs : options.sequences;
  graph::PlanLimits limits{.tokens = options.sequences,
                           .sequences = options.sequences,
                           .outputs = std::min(outputs, options.sequences),
                           .kv_len = context,
                           .kv_rows = context * options.sequences};
  auto decode = make_plan(lowered->graph, options, Phase::decode, limits, backends);
  if (!decode) return error_of(decode);
  limits.tokens = std::max(options.chunk, options.sequences);
  limits.outputs = std::min(outputs, limits.tokens);
  auto prefill = make_plan(lowered->graph, options, Phase::prefill, limits, backends);
  if (!prefill) return error_of(prefill);
  std::vector<KvStore::Layer> layers;
  for (std::size_t i = 0; i < lowered->caches.size(); ++i) {
    Backend& home = (*decode)->state_backend(i);
    if (home.device().memory_domain != (*prefill)->state_backend(i).device().memory_domain) {
      return fail(ErrorCode::unsupported,
                  "placement puts layer {}'s KV cache on {} for decode and elsewhere for prefill; both must agree", i,
                  home.name());
    }
    layers.push_back({lowered->caches[i], &home});
  }
  auto store = KvStore::make(std::move(layers), options.sequences, context);
  if (!store) return error_of(store);
  return std::make_unique<SessionImpl>(std::move(model), std::move(backends), std::move(*store), std::move(*decode),
                                       std::move(*prefill), context, options.sequences);
}

}  // namespace weft::models
