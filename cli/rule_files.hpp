// Rule files that the user gives with --rules, sorted by whom they are for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "core/backend.hpp"
#include "core/result.hpp"

namespace weft::cli {

/// A file's owner is told by its path: `…/<backend>/…` or `<backend>.<op>.json`; placement tables have the op
/// "placement".
struct RuleFiles {
  std::vector<std::pair<std::string, RuleOverride>> backend_files;
  std::vector<RuleOverride> placement;

  [[nodiscard]] std::vector<RuleOverride> for_backend(std::string_view backend) const;
};

/// Reads every --rules file, and the *.json files of every --rules folder.
/// Errors: invalid_argument (no such file, owner unclear), invalid_file (not a rule table).
[[nodiscard]] Result<RuleFiles> read_rule_files(const Parsed& parsed);

/// One rule file of any place.
struct OwnedRuleFile {
  std::string owner;  ///< a backend, or "placement"
  std::string op;
  RuleOverride file;
};
/// Reads one file; its owner is `owner` where that isn't empty, else what its path tells.
/// Errors: those of read_rule_files.
[[nodiscard]] Result<OwnedRuleFile> read_rule_file(const Parsed& parsed, const std::string& name,
                                                   std::string_view owner);

}  // namespace weft::cli
