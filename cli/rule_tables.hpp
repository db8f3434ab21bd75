// The rule tables in force, as the actions of weft rules see them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "cli/rule_files.hpp"
#include "core/backend.hpp"
#include "core/result.hpp"

namespace weft::cli {

/// Tables of the backends that can be opened here, and of placement.
struct Tables {
  std::vector<std::shared_ptr<Backend>> backends;
  std::vector<RuleTable> placement;

  /// `owner` is a backend or "placement"; empty for any other.
  [[nodiscard]] std::span<const RuleTable> of(std::string_view owner) const;
  [[nodiscard]] std::vector<std::string> owners() const;
  /// An example of every fact of `owner`'s table for `op`: the op's, and this device's.
  [[nodiscard]] Facts example_facts(std::string_view owner, std::string_view op) const;
};

/// The embedded tables, with `files` in their places. Opens only the backend `owner`, unless that is empty or
/// "placement"; a backend without a device here is named on stderr and left out, unless it is the owner.
/// Errors: those of reading tables and opening backends; invalid_argument (no such backend).
[[nodiscard]] Result<Tables> load_tables(const Parsed& parsed, const RuleFiles& files, std::string_view owner);

/// " with LANES=64 ROWS=2", or nothing.
[[nodiscard]] std::string parameters_of(const Rule& rule);

/// The action diff; returns the exit code.
[[nodiscard]] int rules_diff(const Parsed& parsed);

}  // namespace weft::cli
