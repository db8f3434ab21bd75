// Reasoning about the tests of one rule: the set of values that they leave to a fact, and what that set implies.
#pragma once

#include <span>

#include "core/rules/rules.hpp"

namespace weft {

/// True when no value of the fact passes all `tests`, which are about one fact. Exact.
[[nodiscard]] bool contradicts(std::span<const RuleTest> tests);

/// True when every value that passes all `tests` also passes `other`; all are about one fact and `tests` don't
/// contradict each other. Never true by mistake; exact but for lists of more than 4096 numbers.
[[nodiscard]] bool implies(std::span<const RuleTest> tests, const RuleTest& other);

}  // namespace weft
