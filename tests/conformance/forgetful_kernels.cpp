// Kernels that run the reference of a slightly different op, or on slightly different inputs.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/ops/rows.hpp"
#include "tests/conformance/broken_kernels.hpp"

namespace weft::conformance {
namespace {

/// The reference of the op after `change`.
template <class T>
Mutant with_op(const std::function<void(T&, const KernelRun&)>& change) {
  return {.op = std::string(T::name), .kernel = [=](KernelRun run) {
            change(std::get<T>(run.op), run);
            run_reference(run);
          }};
}

/// The reference, with what it wrote put through `change`.
Mutant with_output(const std::string& op, const std::function<float(float)>& change) {
  return {.op = op, .kernel = [=](const KernelRun& run) {
            run_reference(run);
            const MutableHostView& y = run.out[0];
            std::vector<float> row(static_cast<std::size_t>(y.width()));
            for (std::int64_t r = 0; r < y.rows(); ++r) {
              load_row(weft::as_const(y), r, row);
              std::ranges::transform(row, row.begin(), change);
              store_row(y, r, row);
            }
          }};
}

Mutant without_input(const std::string& op, std::size_t input) {
  return {.op = op, .kernel = [=](KernelRun run) {
            run.in[input] = {};
            run_reference(run);
          }};
}

/// Each query sees the keys before its own, but not that.
void exclude_own_key(KernelRun run) {
  const ConstHostView positions = run.in[1];
  std::vector<std::byte> bytes(positions.data, positions.data + positions.desc.bytes());
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::int32_t)) {
    std::int32_t position = 0;
    std::memcpy(&position, &bytes[at], sizeof position);
    position = std::max(0, position - 1);
    std::memcpy(&bytes[at], &position, sizeof position);
  }
  run.in[1].data = bytes.data();
  run_reference(run);
}

/// Of equal elements the last; NaN, if asked to, never wins.
Mutant argmax_that(bool takes_last, bool skips_nan) {
  return {.op = "argmax", .kernel = [=](const KernelRun& run) {
            run_reference(run);
            std::vector<float> row(static_cast<std::size_t>(run.in[0].width()));
            for (std::int64_t r = 0; r < run.in[0].rows(); ++r) {
              load_row(run.in[0], r, row);
              if (!skips_nan && std::ranges::any_of(row, [](float v) { return std::isnan(v); })) continue;
              std::int32_t best = 0;
              for (std::size_t i = 1; i < row.size(); ++i) {
                const float most = row[static_cast<std::size_t>(best)];
                if (row[i] > most || (takes_last && row[i] == most)) best = static_cast<std::int32_t>(i);
              }
              std::memcpy(run.out[0].data + static_cast<std::size_t>(r) * sizeof best, &best, sizeof best);
            }
          }};
}

/// A sum in which rows beyond those of b get nothing.
void forget_broadcast(const KernelRun& run) {
  run_reference(run);
  std::vector<float> row(static_cast<std::size_t>(run.in[0].width()));
  for (std::int64_t r = run.in[1].rows(); r < run.in[0].rows(); ++r) {
    load_row(run.in[0], r, row);
    store_row(run.out[0], r, row);
  }
}

float flush_f16_subnormal(float v) { return std::abs(v) < 0x1p-14F ? 0.0F : v; }
float swallow_infinity(float v) { return std::isinf(v) ? std::copysign(65504.0F, v) : v; }
float swallow_nan(float v) { return std::isnan(v) ? 0.0F : v; }

std::vector<BrokenKernel> forgetful_attention() {
  return {
      {"WindowOneTooWide", with_op<Attention>([](Attention& a, const KernelRun&) { a.window += a.window > 0 ? 1 : 0; }),
       "window 8, 1 tokens after 40", "wanted"},
      {"WindowForgotten", with_op<Attention>([](Attention& a, const KernelRun&) { a.window = 0; }),
       "window 17, 7 tokens after 29", "wanted"},
      {"SoftCapForgotten", with_op<Attention>([](Attention& a, const KernelRun&) { a.softcap = 0; }),
       "scores 4 and 0, soft-cap 5", "is 0.982013"},
      {"SoftCapInBaseTwo", with_op<Attention>([](Attention& a, const KernelRun&) {
         // cap * tanh(score log2(e) / cap) / log2(e): the cap is log2(e) times too small in units of the score.
         a.softcap *= 0.6931472F;
       }),
       "scores 4 and 0, soft-cap 5", "is 0.944740"},
      {"SinksForgotten", without_input("attention", 6), "sinks, 1 tokens after 64", "wanted"},
      {"CausalMaskOffByOne", {.op = "attention", .kernel = exclude_own_key}, "decode at 63", "wanted"},
      {"ScaleForgotten", with_op<Attention>([](Attention& a, const KernelRun&) { a.scale = 0.125F; }),
       "scale other than 1 / sqrt(d)", "wanted"},
  };
}

std::vector<BrokenKernel> forgetful_rope() {
  const auto change_spec = [](void (*change)(RopeSpec&, const KernelRun&)) {
    return with_op<Rope>([=](Rope& rope, const KernelRun& run) { change(rope.spec, run); });
  };
  return {
      {"RopePairingMistaken", change_spec([](RopeSpec& s, const KernelRun&) {
         s.pairing = s.pairing == RopePairing::halves ? RopePairing::interleaved : RopePairing::halves;
       }),
       "far positions", "wanted"},
      {"RopeOfTheHeadsWidth",
       change_spec([](RopeSpec& s, const KernelRun& run) { s.frequency_dims = run.in[0].width(); }),
       "64 of 256, unit vector 1 at 1000", "wanted 0.444123"},
      {"RopePartnerInTheHeadsMiddle",
       change_spec([](RopeSpec& s, const KernelRun& run) { s.pair_offset = run.in[0].width() / 2; }),
       "64 of 256, unit vector 0 at 1000", "wanted 0.826879"},
      {"RopeMagnitudeForgotten", change_spec([](RopeSpec& s, const KernelRun&) { s.magnitude = 1; }),
       "LongRoPE, 96 of 128", "wanted"},
      {"RopeDivisorsForgotten", without_input("rope", 2), "LongRoPE, 96 of 128", "wanted"},
  };
}

}  // namespace

std::vector<BrokenKernel> kernels_that_forget() {
  std::vector<BrokenKernel> all{
      {"EpsForgotten", with_op<RmsNorm>([](RmsNorm& n, const KernelRun&) { n.eps = 0; }), "tiny x, ruled by eps",
       "wanted"},
      {"WeightOffsetForgotten", with_op<RmsNorm>([](RmsNorm& n, const KernelRun&) { n.weight_offset = 0; }),
       "stored weight - 1", "wanted"},
      {"EmbeddingScaleForgotten", with_op<Embed>([](Embed& e, const KernelRun&) { e.scale = 1; }),
       "q8_0 scaled, one id", "wanted"},
      {"GeluOfTheOtherKind", with_op<Glu>([](Glu& g, const KernelRun&) {
         if (g.activation == ActivationKind::gelu_erf) g.activation = ActivationKind::gelu_tanh;
       }),
       "gelu_erf f32", "wanted"},
      {"BroadcastForgotten", {.op = "add", .kernel = forget_broadcast}, " with ", "wanted"},
      {"NanSwallowed", with_output("softcap", swallow_nan), "cap 50, beyond it both ways", "is 0, wanted nan"},
      {"NanSwallowedByANorm", with_output("rms_norm", swallow_nan), "f32 [3, 33]", "is 0, wanted nan"},
      {"InfinitySwallowed", with_output("cast", swallow_infinity), "ties and limits of f16", "is 65504, wanted inf"},
      {"SubnormalsFlushed", with_output("cast", flush_f16_subnormal), "ties and limits of f16",
       "is 0, wanted 5.96046448e-08"},
      {"TiesTakeTheLast", argmax_that(true, false), "equal rows take the first", "is 1024, wanted 0"},
      {"NanLosesTheArgmax", argmax_that(false, true), "ties, infinities and NaN", "wanted -1"},
  };
  std::ranges::move(forgetful_attention(), std::back_inserter(all));
  std::ranges::move(forgetful_rope(), std::back_inserter(all));
  return all;
}

}  // namespace weft::conformance
