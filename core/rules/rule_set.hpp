// All rule tables of one backend: the embedded ones, with those of the user in their place, and what they select.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend.hpp"
#include "core/embedded_file.hpp"
#include "core/rules/rules.hpp"

namespace weft {

/// What the tables of an op may speak of; `choices` are the variants that the backend has, empty for an op it lacks.
using VocabularyOf = std::function<RuleVocabulary(std::string_view op)>;

/// `<backend>/<op>/<variant>` without what stands before the last slash.
[[nodiscard]] std::string_view variant_of(std::string_view kernel);

/// Immutable; one table an op.
class RuleSet {
 public:
  /// `files` may also hold other embedded files; only `*.json` are read. An override replaces the table of its op and,
  /// other than an embedded table, needn't use every variant.
  /// Errors: invalid_file (a broken table, two tables for one op, an override for an op that `backend` doesn't have).
  [[nodiscard]] static Result<RuleSet> make(std::string_view backend, std::span<const EmbeddedFile> files,
                                            std::span<const RuleOverride> overrides, const VocabularyOf& vocabulary);
  /// The table of an op; null if there is none.
  [[nodiscard]] const RuleTable* find(std::string_view op) const;
  /// In the order of the embedded files.
  [[nodiscard]] std::span<const RuleTable> tables() const { return tables_; }
  /// The kernel of the first rule that matches. `facts` are the call's and, as `device.…`, the device's.
  /// Errors: unsupported, with the first failing fact of each rule.
  [[nodiscard]] Result<Selection> select(std::string_view op, const Facts& facts) const;
  /// What every matching rule selects, earlier ones notwithstanding; each kernel and parameters once.
  [[nodiscard]] std::vector<Selection> alternatives(std::string_view op, const Facts& facts) const;

 private:
  std::string backend_;
  std::vector<RuleTable> tables_;
};

}  // namespace weft
