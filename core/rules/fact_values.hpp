// Values that stand for all values of a fact, as far as some tests can tell them apart.
#pragma once

#include <span>
#include <vector>

#include "core/rules/rules.hpp"

namespace weft {

struct RepresentativeValues {
  std::vector<FactValue> values;  ///< likeliest first; at least one of each class that the tests tell apart
  bool complete = true;           ///< false when classes may be missing
};

/// All `tests` are about one fact. `example` is one of its values.
[[nodiscard]] RepresentativeValues representative_values(std::span<const RuleTest* const> tests,
                                                         const FactValue& example);

}  // namespace weft
