// UTF-8 checking after the table of well-formed byte sequences of the Unicode standard, and escaping.
#include "models/io/printable.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>

namespace weft::models {
namespace {

struct Lead {
  std::size_t length = 0;
  std::uint8_t second_min = 0x80;  ///< narrowed for some leads: no overlong forms, surrogates, or above U+10FFFF
  std::uint8_t second_max = 0xBF;
};

Lead classify(std::uint8_t lead) {
  if (lead < 0x80) return {1};
  if (lead < 0xC2) return {0};
  if (lead < 0xE0) return {2};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};
  if (lead == 0xED) return {3, 0x80, 0x9F};
  if (lead < 0xF0) return {3};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead == 0xF4) return {4, 0x80, 0x8F};
  if (lead < 0xF4) return {4};
  return {0};
}

/// C0 and C1 control characters and DEL, which a terminal may act on.
bool is_control(std::string_view character) {
  const auto first = static_cast<std::uint8_t>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  return character.size() == 2 && first == 0xC2 && static_cast<std::uint8_t>(character[1]) < 0xA0;
}

void append_escaped(std::string& out, std::string_view bytes) {
  for (const char c : bytes) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else {
      fmt::format_to(std::back_inserter(out), "\\x{:02X}", static_cast<std::uint8_t>(c));
    }
  }
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const Lead lead = classify(byte(0));
  if (lead.length == 0 || lead.length > text.size()) return 0;
  for (std::size_t i = 1; i < lead.length; ++i) {
    const std::uint8_t min = i == 1 ? lead.second_min : 0x80;
    const std::uint8_t max = i == 1 ? lead.second_max : 0xBF;
    if (byte(i) < min || byte(i) > max) return 0;
  }
  return lead.length;
}

std::string printable(std::string_view text, std::size_t max_bytes) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size() && at < max_bytes) {
    const std::size_t length = utf8_length(text.substr(at));
    const std::string_view character = text.substr(at, length == 0 ? 1 : length);
    if (length == 0 || is_control(character)) {
      append_escaped(out, character);
    } else {
      out += character;
    }
    at += character.size();
  }
  if (at < text.size()) out += "...";
  return out;
}

}  // namespace weft::models
