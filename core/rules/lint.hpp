// What is wrong with rules that are each well formed: rules that can't match, choices out of reach, no floor.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/rules/rules.hpp"

namespace weft {

enum class Floor : std::uint8_t {
  required,  ///< the last rule matches everything
  none,      ///< the table leaves some calls to the next backend
};

/// The first thing wrong, as "rule 3: reason; what to do", or nothing.
[[nodiscard]] std::optional<std::string> lint_rules(std::span<const Rule> rules, const RuleVocabulary& vocabulary,
                                                    Floor floor);

/// True when every call that `later` matches is also matched by `earlier`. `later` doesn't contradict itself.
[[nodiscard]] bool shadows(const Rule& earlier, const Rule& later);

}  // namespace weft
