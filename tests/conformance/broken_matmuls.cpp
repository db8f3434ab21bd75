// Wrong matmuls with weights. The int8 kernels round activations to blocks of 32, as real ones do.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/half.hpp"
#include "core/ops/rows.hpp"
#include "core/quant/block_format.hpp"
#include "tests/conformance/broken_kernels.hpp"

namespace weft::conformance {
namespace {

/// Runs the reference on weights whose bytes were changed, for one weight type.
Kernel with_weights(DType type, const std::function<void(std::span<std::byte> block)>& change) {
  return [=](KernelRun run) {
    const ConstHostView w = run.in[1];
    std::vector<std::byte> bytes(w.data, w.data + w.desc.bytes());
    const auto size = static_cast<std::size_t>(info(type).block_bytes);
    const bool affected = w.desc.dtype == type;
    for (std::size_t at = 0; affected && at + size <= bytes.size(); at += size)
      change(std::span(bytes).subspan(at, size));
    run.in[1].data = bytes.data();
    run_reference(run);
  };
}

std::byte swapped(std::byte b) { return (b << 4) | (b >> 4); }

void flush_subnormal_scale(std::span<std::byte> block) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, block.data(), sizeof bits);
  if ((bits & 0x7C00U) == 0) std::memset(block.data(), 0, sizeof bits);
}

/// Sees one element of x less in each row.
void drop_last_element(KernelRun run) {
  const ConstHostView x = run.in[0];
  std::vector<std::byte> bytes(x.data, x.data + x.desc.bytes());
  const MutableHostView copy{x.desc, bytes.data()};
  std::vector<float> row(static_cast<std::size_t>(x.width()));
  for (std::int64_t r = 0; r < x.rows() && x.width() % 2 == 1; ++r) {
    load_row(x, r, row);
    row.back() = 0;
    store_row(copy, r, row);
  }
  run.in[0].data = bytes.data();
  run_reference(run);
}

/// Multiplies what lies behind the last row by zero and adds it, as loops in steps of a vector do.
void read_past_the_end(const KernelRun& run) {
  run_reference(run);
  const MutableHostView& y = run.out[0];
  if (y.desc.shape.elements() == 0 || y.desc.dtype != DType::f32) return;
  float beyond = 0;
  std::memcpy(&beyond, run.in[0].data + run.in[0].desc.bytes(), sizeof beyond);
  float last = 0;
  std::byte* place = y.data + y.desc.bytes() - sizeof last;
  std::memcpy(&last, place, sizeof last);
  last += 0.0F * beyond;
  std::memcpy(place, &last, sizeof last);
}

void skip_last_output(const KernelRun& run) {
  run_reference(run);
  const MutableHostView& y = run.out[0];
  const auto element = static_cast<std::size_t>(info(y.desc.dtype).block_bytes);
  if (y.width() % 16 != 1 || y.width() == 1) return;
  for (std::int64_t r = 0; r < y.rows(); ++r) {
    std::memset(y.row(r) + static_cast<std::size_t>(y.width() - 1) * element, 0xFF, element);
  }
}

struct Int8Block {
  float scale = 0;
  std::array<int, 32> codes{};
  float sum = 0;  ///< of the activations, as the codes stand for them
};

Int8Block round_block(std::span<const float> x) {
  Int8Block block;
  float largest = 0;
  for (const float v : x) largest = std::max(largest, std::abs(v));
  block.scale = largest / 127;
  for (std::size_t i = 0; i < x.size(); ++i) {
    block.codes[i] = largest > 0 ? static_cast<int>(std::lround(x[i] / block.scale)) : 0;
    block.sum += block.scale * static_cast<float>(block.codes[i]);
  }
  return block;
}

/// y = x W^T where `dot` multiplies a block of 32 weights, given as stored, with rounded activations. Rows that hold no
/// finite block, and weights of other types, are left to the reference.
using BlockDot = std::function<float(const std::byte* weights, const Int8Block& x)>;
Kernel int8_kernel(DType type, const BlockDot& dot) {
  return [=](KernelRun run) {
    run_reference(run);
    const ConstHostView w = run.in[1];
    if (w.desc.dtype != type || run.in[2].desc.present()) return;
    const auto block_bytes = static_cast<std::size_t>(info(type).block_bytes);
    std::vector<float> x(static_cast<std::size_t>(run.in[0].width()));
    std::vector<float> y(static_cast<std::size_t>(w.rows()));
    for (std::int64_t t = 0; t < run.in[0].rows(); ++t) {
      load_row(run.in[0], t, x);
      if (!std::ranges::all_of(x, [](float v) { return std::isfinite(v); })) continue;
      std::ranges::fill(y, 0.0F);
      for (std::size_t b = 0; b < x.size() / 32; ++b) {
        const Int8Block block = round_block(std::span(x).subspan(32 * b, 32));
        for (std::size_t n = 0; n < y.size(); ++n) {
          y[n] += dot(w.row(static_cast<std::int64_t>(n)) + b * block_bytes, block);
        }
      }
      store_row(run.out[0], t, y);
    }
  };
}

float half_at(const std::byte* data) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, data, sizeof bits);
  return f16_to_f32(bits);
}

int code_of(const std::byte* weights, std::size_t i) { return static_cast<std::int8_t>(weights[2 + i]); }

float q8_dot(const std::byte* weights, const Int8Block& x) {
  int sum = 0;
  for (std::size_t i = 0; i < 32; ++i) sum += code_of(weights, i) * x.codes[i];
  return half_at(weights) * x.scale * static_cast<float>(sum);
}

/// Unsigned times signed bytes, pairs added in 16 bits that saturate; the offset of 128 taken off afterwards.
float saturating_dot(const std::byte* weights, const Int8Block& x) {
  int sum = 0;
  for (std::size_t i = 0; i < 32; i += 2) {
    const int pair = (code_of(weights, i) + 128) * x.codes[i] + (code_of(weights, i + 1) + 128) * x.codes[i + 1];
    sum += std::clamp(pair, -32768, 32767) - 128 * (x.codes[i] + x.codes[i + 1]);
  }
  return half_at(weights) * x.scale * static_cast<float>(sum);
}

/// |x| times the weight with x's sign: a weight of -128 has no negative in a byte.
float sign_trick_dot(const std::byte* weights, const Int8Block& x) {
  int sum = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    const int weight = code_of(weights, i);
    sum += std::abs(x.codes[i]) * static_cast<std::int8_t>(x.codes[i] < 0 ? -weight : weight);
  }
  return half_at(weights) * x.scale * static_cast<float>(sum);
}

/// q4_1 with the sum of a block's activations given by `keep`, as activation blocks store it for the minima.
BlockDot q4_1_dot(const std::function<float(float)>& keep) {
  return [=](const std::byte* weights, const Int8Block& x) {
    int sum = 0;
    for (std::size_t i = 0; i < 16; ++i) {
      const auto codes = std::to_integer<int>(weights[4 + i]);
      sum += (codes & 15) * x.codes[i] + (codes >> 4) * x.codes[i + 16];
    }
    return half_at(weights) * x.scale * static_cast<float>(sum) + half_at(weights + 2) * keep(x.sum);
  };
}

float as_f32(float sum) { return sum; }
float as_f16(float sum) { return f16_to_f32(f32_to_f16(sum)); }
float as_clamped_f16(float sum) { return as_f16(std::clamp(sum, -65504.0F, 65504.0F)); }

Mutant matmul(Kernel kernel) { return {.op = "quant_matmul", .kernel = std::move(kernel)}; }
Mutant int8_matmul(DType type, const BlockDot& dot) {
  return {.op = "quant_matmul", .kernel = int8_kernel(type, dot), .activations = ActivationPrecision::int8};
}

void forget_bias(KernelRun run) {
  run.in[2] = {};
  run_reference(run);
}

/// One scale for all rows: a row's rounding follows what the others hold.
void share_scale_between_rows(const KernelRun& run) {
  run_reference(run);
  const MutableHostView& y = run.out[0];
  std::vector<float> x(static_cast<std::size_t>(run.in[0].width()));
  double largest = 0;
  for (std::int64_t t = 0; t < run.in[0].rows(); ++t) {
    load_row(run.in[0], t, x);
    for (const float v : x) largest = std::max(largest, std::abs(static_cast<double>(v)));
  }
  std::vector<float> row(static_cast<std::size_t>(y.width()));
  for (std::int64_t t = 0; t < y.rows() && largest > 100; ++t) {
    load_row(weft::as_const(y), t, row);
    for (float& v : row) v = std::nextafter(v, INFINITY);
    store_row(y, t, row);
  }
}

}  // namespace

std::vector<BrokenKernel> broken_matmuls() {
  return {
      {"ScaleNibblesOfQ4KSwapped",
       matmul(with_weights(DType::q4_k, [](std::span<std::byte> b) { b[12] = swapped(b[12]); })),
       "q4_k model width 2048", "wanted"},
      {"ScaleNibbleOfQ6KTakenFromTheNextGroup",
       matmul(with_weights(DType::q6_k, [](std::span<std::byte> b) { std::swap(b[192], b[193]); })),
       "q6_k f32 x [1, 768] n 17", "wanted"},
      {"NibblesOfQ40Swapped", matmul(with_weights(DType::q4_0, [](std::span<std::byte> b) { b[2] = swapped(b[2]); })),
       "q4_0 f32 x [1, 96] n 17", "wanted"},
      {"HighBitOfQ50Dropped",
       matmul(with_weights(DType::q5_0, [](std::span<std::byte> b) { b[5] &= std::byte{0x7F}; })),
       "q5_0 f32 x [1, 96] n 17", "wanted"},
      {"SubnormalScalesFlushed", matmul(with_weights(DType::q8_0, flush_subnormal_scale)), "q8_0 subnormal scale",
       "is 0, wanted"},
      {"TailOfKOffByOne", matmul(drop_last_element), "f32 k 33", "wanted"},
      {"ReadsPastTheEnd", matmul(read_past_the_end), "f32 k 7", "nan, wanted 0.01"},
      {"LastOutputNotWritten", matmul(skip_last_output), "q4_0 f32 x [1, 96] n 17", "[0, 16] was never written"},
      {"BiasForgotten", matmul(forget_bias), "q8_0 f32 x [1, 64] n 63", "wanted"},
      {"RowsShareAScale", matmul(share_scale_between_rows), "f16 f32 x [3, 96] n 33", "follows what the last row"},
      {"PairSumsSaturateAt16Bits", int8_matmul(DType::q8_0, saturating_dot), "q8_0 all 0x7F, x all 1 tokens 1",
       "wanted 8128"},
      {"Minus128HasNoNegative", int8_matmul(DType::q8_0, sign_trick_dot), "q8_0 all 0x80, x all -1 tokens 33",
       "is -8192, wanted 8192"},
      {"BlockSumOverflowsF16", int8_matmul(DType::q4_1, q4_1_dot(as_f16)),
       "q4_1 weights 1/64, k 576, x all 3000 tokens 1", "wanted 27000"},
      {"BlockSumClampedToF16", int8_matmul(DType::q4_1, q4_1_dot(as_clamped_f16)),
       "q4_1 weights 1/64, k 32, x all 3000 tokens 8", "wanted 1500"},
  };
}

std::vector<Mutant> right_kernels() {
  std::vector<Mutant> all{int8_matmul(DType::q8_0, q8_dot), int8_matmul(DType::q4_1, q4_1_dot(as_f32))};
  for (const char* op : {"quant_matmul", "attention", "rope", "rms_norm", "add", "glu", "cast", "argmax", "embed",
                         "softcap", "kv_append", "scale"}) {
    all.push_back({.op = op, .kernel = run_reference});
  }
  return all;
}

}  // namespace weft::conformance
