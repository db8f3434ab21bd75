// The printable spelling of bytes: printable Latin-1 characters are themselves, the other 68 bytes follow from U+0100.
#include "models/tokenizer/byte_map.hpp"

#include <array>
#include <cstdint>

#include "models/tokenizer/utf8.hpp"

namespace weft::models {
namespace {

constexpr int code_points = 0x144;  // one above the largest code point of the map

constexpr bool is_printable(int byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

constexpr std::array<std::uint16_t, 256> make_forward() {
  std::array<std::uint16_t, 256> map{};
  std::uint16_t next = 0x100;
  for (int byte = 0; byte < 256; ++byte) {
    map[byte] = is_printable(byte) ? static_cast<std::uint16_t>(byte) : next++;
  }
  return map;
}

constexpr std::array<std::int16_t, code_points> make_backward() {
  std::array<std::int16_t, code_points> map{};
  map.fill(-1);
  for (int byte = 0; byte < 256; ++byte) map[make_forward()[byte]] = static_cast<std::int16_t>(byte);
  return map;
}

constexpr auto forward = make_forward();
constexpr auto backward = make_backward();

}  // namespace

std::string printable_of(std::string_view bytes) {
  std::string out;
  out.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const std::uint16_t point = forward[static_cast<unsigned char>(c)];
    if (point < 0x80) {
      out.push_back(static_cast<char>(point));
      continue;
    }
    out.push_back(static_cast<char>(0xC0 | (point >> 6)));
    out.push_back(static_cast<char>(0x80 | (point & 0x3F)));
  }
  return out;
}

std::string bytes_of(std::string_view printable) {
  std::string out;
  out.reserve(printable.size());
  while (!printable.empty()) {
    const std::size_t length = utf8_step(printable).length;
    const auto first = static_cast<unsigned char>(printable[0]);
    int point = length == 1 ? first : code_points;
    if (length == 2) point = ((first & 0x1F) << 6) | (static_cast<unsigned char>(printable[1]) & 0x3F);
    if (point < code_points && backward[point] >= 0) {
      out.push_back(static_cast<char>(backward[point]));
    } else {
      out.append(printable.substr(0, length));
    }
    printable.remove_prefix(length);
  }
  return out;
}

}  // namespace weft::models
