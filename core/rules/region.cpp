// Facts are independent, so what rules match is a product of one set a fact. A product without another product falls
// into at most as many products as the other has facts; the search takes the rules to avoid away one by one.
#include "core/rules/region.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/rules/fact_values.hpp"
#include "core/rules/predicate.hpp"

namespace weft {

class RegionFinder::Search {
 public:
  Search(const std::vector<Domain>& domains, const Region& region) : domains_(domains) {
    for (const Domain& domain : domains) box_.emplace_back(domain.values.size(), true);
    for (const Rule* rule : region.wanted) intersect(box_, product_of(*rule));
    for (const Rule* rule : region.avoided) avoided_.push_back(product_of(*rule));
  }

  /// The place of one value a domain, or nothing.
  std::optional<std::vector<std::size_t>> run() {
    if (is_empty(box_) || !subtract(box_, 0)) return std::nullopt;
    return found_;
  }
  [[nodiscard]] bool gave_up() const { return steps_ > max_steps; }

 private:
  static constexpr std::size_t max_steps = 100'000;
  using Members = std::vector<bool>;  ///< of one domain's values
  using Box = std::vector<Members>;   ///< one a domain

  [[nodiscard]] Box product_of(const Rule& rule) const {
    Box box;
    for (const Domain& domain : domains_) {
      Members members;
      for (const FactValue& value : domain.values) {
        members.push_back(std::ranges::all_of(
            rule.when, [&](const RuleTest& test) { return test.fact != domain.fact || holds(test, value); }));
      }
      box.push_back(std::move(members));
    }
    return box;
  }

  static void intersect(Members& members, const Members& other) {
    for (std::size_t i = 0; i < members.size(); ++i) members[i] = members[i] && other[i];
  }
  static void intersect(Box& box, const Box& other) {
    for (std::size_t d = 0; d < box.size(); ++d) intersect(box[d], other[d]);
  }
  static bool is_empty(const Members& members) { return std::ranges::find(members, true) == members.end(); }
  static bool is_empty(const Box& box) {
    return std::ranges::any_of(box, [](const Members& members) { return is_empty(members); });
  }

  /// Whether something of `box` lies in no avoided rule from `first` on; notes where.
  bool subtract(Box box, std::size_t first) {
    if (first == avoided_.size()) {
      for (const Members& members : box) {
        found_.push_back(static_cast<std::size_t>(std::ranges::find(members, true) - members.begin()));
      }
      return true;
    }
    const Box& other = avoided_[first];
    for (std::size_t d = 0; d < box.size(); ++d) {
      if (++steps_ > max_steps) return false;
      Members outside = other[d];
      outside.flip();
      intersect(outside, box[d]);
      if (!is_empty(outside)) {
        Box rest = box;
        rest[d] = std::move(outside);
        if (subtract(std::move(rest), first + 1)) return true;
      }
      intersect(box[d], other[d]);
      if (is_empty(box[d])) return false;
    }
    return false;
  }

  const std::vector<Domain>& domains_;
  Box box_;
  std::vector<Box> avoided_;
  std::vector<std::size_t> found_;
  std::size_t steps_ = 0;
};

namespace {

/// Some value of the kind that a test is about.
FactValue value_for(const RuleTest& test) {
  if (test.op == RuleTest::Operator::has) return std::vector<std::string>{};
  return test.operands.front();
}

}  // namespace

RegionFinder::RegionFinder(std::span<const Rule* const> rules, const Facts& examples) : examples_(examples) {
  std::map<std::string, std::vector<const RuleTest*>> tests;
  for (const Rule* rule : rules) {
    for (const RuleTest& test : rule->when) tests[test.fact].push_back(&test);
  }
  for (const auto& [fact, of_fact] : tests) {
    const FactValue* example = examples.find(fact);
    RepresentativeValues values =
        representative_values(of_fact, example != nullptr ? *example : value_for(*of_fact.front()));
    domains_.push_back({fact, std::move(values.values), values.complete});
  }
}

RegionSearch RegionFinder::find(const Region& region) const {
  RegionSearch result;
  Search search(domains_, region);
  const auto found = search.run();
  if (!found) {
    const bool complete = std::ranges::all_of(domains_, &Domain::complete);
    result.decided = complete && !search.gave_up();
    return result;
  }
  result.example = examples_;
  for (std::size_t d = 0; d < domains_.size(); ++d) {
    std::visit([&](const auto& value) { result.example->set(domains_[d].fact, value); },
               domains_[d].values[(*found)[d]]);
  }
  return result;
}

}  // namespace weft
