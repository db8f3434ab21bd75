// Pieces seeded by their number, so that any thread may make any of them.
#include "models/synthetic/random_weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

#include "core/half.hpp"
#include "core/quant/random_blocks.hpp"
#include "models/quantize/parallel.hpp"

namespace weft::models {
namespace {

constexpr std::uint64_t piece_blocks_bytes = std::uint64_t{1} << 18;  // of a piece, about
constexpr std::size_t window_pieces = 64;

/// Mean 0, deviation 1: (sum of four 16-bit integers, centred) over its deviation sqrt(4 (2^32 - 1) / 12).
float near_normal(std::uint64_t bits) {
  constexpr float per_unit = 1.0F / 37837.227F;
  const std::uint64_t sum = (bits & 0xFFFFU) + ((bits >> 16U) & 0xFFFFU) + ((bits >> 32U) & 0xFFFFU) + (bits >> 48U);
  return static_cast<float>(static_cast<std::int32_t>(sum) - 131070) * per_unit;
}

template <class Stored, class Convert>
void fill_numbers(const RandomTensor& tensor, SeededRandom& random, std::span<std::byte> out, Convert convert) {
  for (std::size_t i = 0; i < out.size(); i += sizeof(Stored)) {
    const Stored value = convert(tensor.mean + tensor.deviation * near_normal(random.bits()));
    std::memcpy(&out[i], &value, sizeof value);
  }
}

void fill_piece(const RandomTensor& tensor, std::uint64_t piece, std::span<std::byte> out) {
  SeededRandom random(derived_seed(tensor.seed, piece));
  switch (tensor.type) {
    case DType::f32: return fill_numbers<float>(tensor, random, out, [](float x) { return x; });
    case DType::f16: return fill_numbers<std::uint16_t>(tensor, random, out, f32_to_f16);
    case DType::bf16: return fill_numbers<std::uint16_t>(tensor, random, out, f32_to_bf16);
    default: fill_random_blocks(tensor.type, random, tensor.deviation, out);
  }
}

/// Windows of pieces: one is made while the one before is appended.
class Windows {
 public:
  Windows(const RandomTensor& tensor, int threads)
      : tensor_(tensor),
        threads_(threads),
        bytes_(static_cast<std::uint64_t>(row_bytes(tensor.type, static_cast<std::int64_t>(tensor.elements)))) {
    const auto block = static_cast<std::uint64_t>(info(tensor.type).block_bytes);
    piece_bytes_ = std::max(piece_blocks_bytes / block, std::uint64_t{1}) * block;
  }

  Status run(const GgufWriter::Append& append) {
    make(0, buffers_[0]);
    for (std::uint64_t window = 0; begin_of(window) < bytes_; ++window) {
      std::vector<std::byte>& ready = buffers_[window % 2];
      std::jthread next;  // joined before the buffers are used again
      if (begin_of(window + 1) < bytes_) {
        next = std::jthread([this, window] { make(window + 1, buffers_[(window + 1) % 2]); });
      }
      if (auto put = append(ready); !put) return put;
    }
    return {};
  }

 private:
  [[nodiscard]] std::uint64_t begin_of(std::uint64_t window) const { return window * window_pieces * piece_bytes_; }

  void make(std::uint64_t window, std::vector<std::byte>& buffer) const {
    const std::uint64_t begin = begin_of(window);
    buffer.resize(static_cast<std::size_t>(std::min(bytes_ - begin, window_pieces * piece_bytes_)));
    const auto piece = static_cast<std::size_t>(piece_bytes_);
    parallel_for(threads_, (buffer.size() + piece - 1) / piece, [&](std::size_t, std::size_t i) {
      const auto out = std::span(buffer).subspan(i * piece, std::min(piece, buffer.size() - i * piece));
      fill_piece(tensor_, window * window_pieces + i, out);
    });
  }

  const RandomTensor& tensor_;
  int threads_;
  std::uint64_t bytes_;
  std::uint64_t piece_bytes_;
  std::array<std::vector<std::byte>, 2> buffers_;
};

}  // namespace

std::uint64_t derived_seed(std::uint64_t seed, std::uint64_t index) {
  return SeededRandom(SeededRandom(seed).bits() + index).bits();
}

Status stream_random(const RandomTensor& tensor, int threads, const GgufWriter::Append& append) {
  return Windows(tensor, threads).run(append);
}

}  // namespace weft::models
