// Storage of facts.
#include "core/facts.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace weft {

std::string to_string(const FactValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *number);
  if (const auto* word = std::get_if<std::string>(&value)) return *word;
  std::string text = "{";
  for (const std::string& word : std::get<std::vector<std::string>>(value)) {
    if (text.size() > 1) text += ", ";
    text += word;
  }
  return text + "}";
}

void Facts::put(std::string name, FactValue value) {
  const auto at = std::find_if(entries_.begin(), entries_.end(), [&](const auto& e) { return e.first == name; });
  if (at != entries_.end()) {
    at->second = std::move(value);
  } else {
    entries_.emplace_back(std::move(name), std::move(value));
  }
}

Facts& Facts::set(std::string_view name, std::int64_t value) {
  put(std::string(name), value);
  return *this;
}

Facts& Facts::set(std::string_view name, std::string_view word) {
  put(std::string(name), std::string(word));
  return *this;
}

Facts& Facts::set(std::string_view name, std::vector<std::string> words) {
  put(std::string(name), std::move(words));
  return *this;
}

Facts& Facts::merge(std::string_view prefix, const Facts& other) {
  for (const auto& [name, value] : other.entries_) put(std::string(prefix) + name, value);
  return *this;
}

const FactValue* Facts::find(std::string_view name) const {
  const auto at = std::find_if(entries_.begin(), entries_.end(), [&](const auto& e) { return e.first == name; });
  return at == entries_.end() ? nullptr : &at->second;
}

}  // namespace weft
