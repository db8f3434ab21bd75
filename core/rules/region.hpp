// Looks for facts that some rules match and others don't: whether a rule is ever reached, and where two tables differ.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/rules/rules.hpp"

namespace weft {

/// What is asked: facts that every rule of `wanted` matches and no rule of `avoided`.
struct Region {
  std::vector<const Rule*> wanted;
  std::vector<const Rule*> avoided;
};

struct RegionSearch {
  std::optional<Facts> example;  ///< the examples' facts, with those changed that must be
  /// False when the search gave up: no example was found, but there may be one.
  bool decided = true;
};

/// A search over the facts that `rules` test. Values of a fact that pass and fail the same tests are one class, and one
/// value stands for it, so that an empty region is proved empty. `phase` and `precision` have the words that the
/// program knows; any other word, and any number of 64 bits, counts as possible. Facts count as independent.
class RegionFinder {
 public:
  /// The rules must stay. The values of `examples` are taken where they fit.
  RegionFinder(std::span<const Rule* const> rules, const Facts& examples);
  /// Only rules that the finder was made with. Exact unless a fact has sets of more than 10 tested words, numbers with
  /// a common multiple beyond 4096, or the search takes more than 100,000 steps.
  [[nodiscard]] RegionSearch find(const Region& region) const;

 private:
  /// Values that stand for all values of a fact, likeliest first.
  struct Domain {
    std::string fact;
    std::vector<FactValue> values;
    bool complete = true;
  };
  class Search;
  std::vector<Domain> domains_;
  Facts examples_;
};

}  // namespace weft
