// How fast this machine reads memory right now: the limit that decoding is held against.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::bench {

/// Bytes per second of `threads` threads that read `bytes` together, the best of a few passes. The buffer is allocated,
/// touched and freed inside. Use the size of what is being compared: caches hold a part of small buffers.
[[nodiscard]] double read_bandwidth(std::int64_t threads, std::size_t bytes);

}  // namespace weft::bench
