// Steps through bytes that may or may not be UTF-8.
#include "models/tokenizer/utf8.hpp"

namespace weft::models {
namespace {

/// What a lead byte asks for: bytes of the character, and the range of its second byte.
struct Lead {
  std::size_t length = 0;  ///< 0: not a lead byte
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
};

Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {.length = 1};
  if (byte < 0xC2) return {};
  if (byte < 0xE0) return {.length = 2};
  if (byte == 0xE0) return {.length = 3, .low = 0xA0};
  if (byte == 0xED) return {.length = 3, .high = 0x9F};
  if (byte < 0xF0) return {.length = 3};
  if (byte == 0xF0) return {.length = 4, .low = 0x90};
  if (byte < 0xF4) return {.length = 4};
  if (byte == 0xF4) return {.length = 4, .high = 0x8F};
  return {};
}

}  // namespace

Utf8Step utf8_step(std::string_view text) {
  const Lead lead = lead_of(static_cast<unsigned char>(text.front()));
  if (lead.length == 0) return {Utf8Kind::broken, 1};
  for (std::size_t at = 1; at < lead.length; ++at) {
    if (at == text.size()) return {Utf8Kind::truncated, at};
    const auto byte = static_cast<unsigned char>(text[at]);
    const unsigned char low = at == 1 ? lead.low : 0x80;
    const unsigned char high = at == 1 ? lead.high : 0xBF;
    if (byte < low || byte > high) return {Utf8Kind::broken, at};
  }
  return {Utf8Kind::valid, lead.length};
}

}  // namespace weft::models
