// Named raw facts about an op call or a device: what rules may test.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace weft {

/// A number, a word, or a set of words.
using FactValue = std::variant<std::int64_t, std::string, std::vector<std::string>>;

[[nodiscard]] std::string to_string(const FactValue& value);

/// Facts in the order they were set. An op always sets the same names, whatever its operands.
class Facts {
 public:
  Facts& set(std::string_view name, std::int64_t value);
  Facts& set(std::string_view name, std::string_view word);
  Facts& set(std::string_view name, std::vector<std::string> words);
  /// All of another's facts, each name with `prefix` before it.
  Facts& merge(std::string_view prefix, const Facts& other);
  [[nodiscard]] const FactValue* find(std::string_view name) const;
  [[nodiscard]] const std::vector<std::pair<std::string, FactValue>>& entries() const { return entries_; }

 private:
  void put(std::string name, FactValue value);
  std::vector<std::pair<std::string, FactValue>> entries_;
};

}  // namespace weft
