// Pieces seeded by their number, so that any thread may make any of them.
#include "models/synthetic/random_weights.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <thread>

#include "core/half.hpp"
#include "core/quant/random_blocks.hpp"
#include "models/quantize/parallel.hpp"

namespace weft::models {
namespace {

constexpr std::uint64_t piece_bytes = std::uint64_t{1} << 18;  // about: whole blocks
constexpr std::size_t window_pieces = 16;  // 4 MiB: what is appended is still in the processor's cache

/// Mean 0, deviation 1: (sum of four 16-bit integers, centred) over its deviation sqrt(4 (2^32 - 1) / 12).
float near_normal(std::uint64_t bits) {
  constexpr float per_unit = 1.0F / 37837.227F;
  const std::uint64_t sum = (bits & 0xFFFFU) + ((bits >> 16U) & 0xFFFFU) + ((bits >> 32U) & 0xFFFFU) + (bits >> 48U);
  return static_cast<float>(static_cast<std::int32_t>(sum) - 131070) * per_unit;
}

constexpr unsigned pick_bits = 12;
constexpr std::size_t picks = 64 / pick_bits;  // from one draw

/// Numbers are picked from a table of near-normal ones and their negatives, so that one draw makes several and their
/// mean is exact.
template <class Stored, class Convert>
void fill_numbers(const RandomTensor& tensor, SeededRandom& random, std::span<std::byte> out, Convert convert) {
  std::array<Stored, std::size_t{1} << pick_bits> table;
  for (std::size_t i = 0; i < table.size(); i += 2) {
    const float x = tensor.deviation * near_normal(random.bits());
    table[i] = convert(tensor.mean + x);
    table[i + 1] = convert(tensor.mean - x);
  }
  const std::size_t count = out.size() / sizeof(Stored);
  for (std::size_t i = 0; i < count; i += picks) {
    std::array<Stored, picks> picked;
    std::uint64_t bits = random.bits();
    for (Stored& x : picked) {
      x = table[bits % table.size()];
      bits >>= pick_bits;
    }
    std::memcpy(&out[i * sizeof(Stored)], picked.data(), std::min(picks, count - i) * sizeof(Stored));
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

/// How a tensor's bytes are cut: windows of pieces of whole blocks.
struct Cut {
  std::uint64_t bytes = 0;
  std::uint64_t piece = 0;

  explicit Cut(const RandomTensor& tensor)
      : bytes(static_cast<std::uint64_t>(row_bytes(tensor.type, static_cast<std::int64_t>(tensor.elements)))) {
    const auto block = static_cast<std::uint64_t>(info(tensor.type).block_bytes);
    piece = std::max(piece_bytes / block, std::uint64_t{1}) * block;
  }
  [[nodiscard]] std::uint64_t begin_of(std::uint64_t window) const { return window * window_pieces * piece; }
  [[nodiscard]] std::size_t size_of(std::uint64_t window) const {
    return static_cast<std::size_t>(std::min(bytes - begin_of(window), window_pieces * piece));
  }
};

void fill_window(const RandomTensor& tensor, std::uint64_t window, int threads, std::span<std::byte> out) {
  const auto piece = static_cast<std::size_t>(Cut(tensor).piece);
  parallel_for(threads, (out.size() + piece - 1) / piece, [&](std::size_t, std::size_t i) {
    fill_piece(tensor, window * window_pieces + i, out.subspan(i * piece, std::min(piece, out.size() - i * piece)));
  });
}

}  // namespace

std::uint64_t derived_seed(std::uint64_t seed, std::uint64_t index) {
  return SeededRandom(SeededRandom(seed).bits() + index).bits();
}

Status RandomWeights::stream(const RandomTensor& tensor, const GgufWriter::Append& append) {
  const Cut cut(tensor);
  const auto make = [&](std::uint64_t window) {
    std::vector<std::byte>& buffer = buffers_[window % 2];
    if (buffer.size() < cut.size_of(window)) buffer.resize(cut.size_of(window));
    fill_window(tensor, window, threads_, std::span(buffer).first(cut.size_of(window)));
  };
  if (cut.bytes > 0) make(0);
  for (std::uint64_t window = 0; cut.begin_of(window) < cut.bytes; ++window) {
    std::jthread next;  // joined before its buffer is read
    if (threads_ > 1 && cut.begin_of(window + 1) < cut.bytes) next = std::jthread(make, window + 1);
    if (auto put = append(std::span(buffers_[window % 2]).first(cut.size_of(window))); !put) return put;
    if (threads_ == 1 && cut.begin_of(window + 1) < cut.bytes) make(window + 1);
  }
  return {};
}

}  // namespace weft::models
