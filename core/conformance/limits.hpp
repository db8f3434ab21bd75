// What a backend says that it can't run, and why: its limits.json.
// JSON: { "schema": 1, "limits": [ { "op": NAME or [NAME, …] or {"not": [NAME, …]}, "when": {FACT: TEST, …},
//         "reason": TEXT }, … ] }. Tests are those of rules (core/rules/rules.hpp), over the call's facts, the
//         device's,
// and `sample`, the name of conformance's sample; {} names every call of the op.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend.hpp"
#include "core/embedded_file.hpp"
#include "core/result.hpp"

namespace weft::conformance {

/// Immutable once parsed.
class Limits {
 public:
  /// A file without text has no limits. Rejects what a rule table would reject: unknown ops, facts and operators, an
  /// entry that can't match or that an earlier one covers, a missing reason. The code is invalid_file.
  [[nodiscard]] static Result<Limits> parse(const EmbeddedFile& file, const DeviceInfo& device);

  struct Match {
    std::size_t number = 0;  ///< of the entry, from 1
    std::string reason;
  };
  /// The first entry that names the call.
  [[nodiscard]] std::optional<Match> find(const OpCall& call, std::string_view sample) const;

  /// An entry as it applies to one of its ops.
  struct Entry {
    std::string op;
    std::size_t number = 0;
  };
  [[nodiscard]] std::span<const Entry> entries() const { return entries_; }

 private:
  struct Table {
    RuleTable rules;
    std::vector<std::size_t> numbers;  ///< of the entry behind each rule
  };
  std::vector<Table> tables_;  ///< one an op
  std::vector<Entry> entries_;
  Facts device_;
};

}  // namespace weft::conformance
