// Policy as data: tables of rules that choose a kernel, a weight layout or a backend from raw facts.
// JSON: { "schema": 1, "op": NAME, "rules": [ { "when": {FACT: TEST, …}, "use": NAME, "with": {PARAMETER: integer, …},
//         "why": TEXT }, … ] }. The first rule whose tests all hold wins; the last rule of a table has an empty `when`
// (the floor) unless the table says "floor": "none".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/facts.hpp"
#include "core/result.hpp"

namespace weft {

/// Integer parameters of a rule: they feed both the program's -D and the launch shape.
using RuleParameters = std::map<std::string, std::int64_t, std::less<>>;

/// One test of one fact.
struct RuleTest {
  enum class Operator : std::uint8_t {
    equal,     ///< TEST is a number or a word
    any_of,    ///< a list of numbers or words
    none_of,   ///< {"not": value or list}
    at_least,  ///< {"at_least": n}, likewise the next four
    at_most,
    less_than,
    more_than,
    multiple_of,
    has,          ///< {"has": word or list}: a set contains all of them
    starts_with,  ///< {"starts_with": word}
  };
  std::string fact;
  Operator op = Operator::equal;
  std::vector<FactValue> operands;
};

struct Rule {
  std::vector<RuleTest> when;  ///< all must hold; several tests of one fact are several entries
  std::string use;
  RuleParameters with;
  std::string activations;    ///< "full" or "int8": what the kernel rounds activations to ("full" when not given)
  bool deterministic = true;  ///< false needs a reason in `why`
  std::string why;
};

/// What a table may speak of. Facts are given by example values, which fix their kinds.
struct RuleVocabulary {
  Facts facts;
  std::vector<std::string> choices;  ///< kernels, layouts or backends that `use` may name
  bool every_choice_used = true;     ///< reject a table that leaves a choice out; false for tables of a user
};

/// Why a rule did not match: the first test that failed, as text: `tokens is 5, wanted at_most 1`.
struct PassedRule {
  std::size_t index = 0;
  std::string use;
  std::string reason;
};

/// What a table says about some facts.
struct RuleMatch {
  std::optional<std::size_t> index;  ///< of the first rule that matches
  std::vector<PassedRule> passed;    ///< the rules before it (all rules if none matches)
};

/// Immutable once parsed.
class RuleTable {
 public:
  /// Rejects, naming `source`, rule number and reason: malformed JSON, an unknown key, fact, operator or choice, a
  /// value of the wrong kind, a missing `why` or `use`, an operator that doesn't fit the fact, a rule shadowed by an
  /// earlier one, a rule whose tests contradict each other, a choice that no rule uses, a table without a floor, a
  /// repeated key. The code is invalid_file.
  [[nodiscard]] static Result<RuleTable> parse(std::string_view json, std::string_view source,
                                               const RuleVocabulary& vocabulary);
  [[nodiscard]] const std::string& source() const { return source_; }
  [[nodiscard]] const std::string& op() const { return op_; }
  [[nodiscard]] std::span<const Rule> rules() const { return rules_; }
  /// `facts` must have every fact that the rules test, of the vocabulary's kind.
  [[nodiscard]] RuleMatch match(const Facts& facts) const;
  /// Indices of all rules whose tests hold, earlier ones notwithstanding.
  [[nodiscard]] std::vector<std::size_t> matching(const Facts& facts) const;

 private:
  std::string source_;
  std::string op_;
  std::vector<Rule> rules_;
};

/// The "op" of a table's text without checking the rest: which vocabulary to parse it with.
[[nodiscard]] Result<std::string> rule_table_op(std::string_view json, std::string_view source);

}  // namespace weft
