// Reads a block's packed struct from bytes of any alignment.
#pragma once

#include <cstddef>
#include <cstring>

namespace weft {

template <class Block>
[[nodiscard]] inline Block read_block(const std::byte* bytes) {
  Block block;
  std::memcpy(&block, bytes, sizeof block);
  return block;
}

}  // namespace weft
