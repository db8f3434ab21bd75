// Kernels whose arithmetic is right and whose use of memory is not.
#include <cmath>
#include <cstring>

#include "core/ops/rows.hpp"
#include "tests/conformance/broken_kernels.hpp"

namespace weft::conformance {
namespace {

/// The reference, then `spoil`.
Mutant after(const std::string& op, const std::function<void(const KernelRun&)>& spoil) {
  return {.op = op, .kernel = [=](const KernelRun& run) {
            run_reference(run);
            if (run.out[0].desc.bytes() > 0) spoil(run);
          }};
}

void flip(std::byte* byte) { *byte ^= std::byte{0x01}; }

/// Stores whole vectors of eight numbers.
void write_past_the_end(const KernelRun& run) {
  const MutableHostView& y = run.out[0];
  const auto element = static_cast<std::size_t>(info(y.desc.dtype).block_bytes);
  const auto odd = static_cast<std::size_t>(y.desc.shape.elements() % 8);
  if (odd != 0) std::memset(y.data + y.desc.bytes(), 0, (8 - odd) * element);
}

/// As if rows followed each other without a gap.
void take_rows_for_dense(KernelRun run) {
  run.in[0].desc = TensorDesc::dense(run.in[0].desc.dtype, run.in[0].desc.shape);
  run_reference(run);
}

/// A sum whose order follows the threads: another rounding in each run.
void sum_in_another_order(const KernelRun& run) {
  if (run.number == 0 || run.out[0].desc.dtype != DType::f32) return;
  float first = 0;
  std::memcpy(&first, run.out[0].data, sizeof first);
  first = std::nextafter(first, INFINITY);
  std::memcpy(run.out[0].data, &first, sizeof first);
}

/// Without the barrier half of a row is sometimes read before it was written.
void miss_a_barrier(const KernelRun& run) {
  if (run.number == 0) return;
  const auto bytes = static_cast<std::size_t>(row_bytes(run.out[0].desc.dtype, run.out[0].width()));
  std::memset(run.out[0].row(0) + bytes / 2, 0, bytes - bytes / 2);
}

/// Takes the output of the run before for this one's.
void leave_stale_output(KernelRun run) {
  if (run.number == 0) run_reference(run);
}

/// Adds to the output instead of writing it.
void accumulate(const KernelRun& run) {
  const MutableHostView& y = run.out[0];
  std::vector<std::vector<float>> before(static_cast<std::size_t>(y.rows()),
                                         std::vector<float>(static_cast<std::size_t>(y.width())));
  for (std::int64_t r = 0; r < y.rows(); ++r) load_row(weft::as_const(y), r, before[static_cast<std::size_t>(r)]);
  run_reference(run);
  for (std::int64_t r = 0; r < y.rows(); ++r) {
    std::vector<float>& row = before[static_cast<std::size_t>(r)];
    std::vector<float> sum(row.size());
    load_row(weft::as_const(y), r, sum);
    for (std::size_t i = 0; i < row.size(); ++i) sum[i] += row[i];
    store_row(y, r, sum);
  }
}

void leave_an_element(const KernelRun& run) {
  const MutableHostView& y = run.out[0];
  const auto element = static_cast<std::size_t>(info(y.desc.dtype).block_bytes);
  std::memset(y.row(y.rows() - 1) + static_cast<std::size_t>(y.width() / 2) * element, 0xFF, element);
}

}  // namespace

std::vector<BrokenKernel> kernels_that_misuse_memory() {
  const auto change_input = [](std::size_t input) {
    return [=](const KernelRun& run) { flip(const_cast<std::byte*>(run.in[input].data)); };
  };
  Mutant no_value_offset{.op = "add", .kernel = run_reference, .ignores_value_offset = true};
  Mutant no_binding_offset{.op = "add", .kernel = run_reference, .ignores_binding_offset = true};
  Mutant at_the_maximum{.op = "scale", .kernel = run_reference, .runs_the_maximum = true};
  return {
      {"ElementNotWritten", after("glu", leave_an_element), "three dimensions", "was never written"},
      {"WritesPastTheEnd", after("add", write_past_the_end), "denormals", "byte 0 after the end was written"},
      {"WritesBeforeTheStart", after("add", [](const KernelRun& run) { flip(run.out[0].data - 1); }), "denormals",
       "byte 1 before the start was written"},
      {"StrideForgotten", {.op = "rms_norm", .kernel = take_rows_for_dense}, "f32 strided heads", "wanted"},
      {"ValueOffsetForgotten", no_value_offset, "denormals", "nan, wanted"},
      {"BindingOffsetForgotten", no_binding_offset, "denormals", "output 0 (y)"},
      {"MaximumTakenForTheSize", at_the_maximum, "negative factor", "after the end was written"},
      {"SumInAnotherOrder", after("rms_norm", sum_in_another_order), "f32 [1, 576]", "differs between two runs"},
      {"BarrierMissed", after("rms_norm", miss_a_barrier), "f32 [1, 4096]", "differs between two runs"},
      {"StaleOutput",
       {.op = "softcap", .kernel = leave_stale_output},
       "cap 50, beyond it both ways",
       "differs between two runs"},
      {"AddsToItsOutput", {.op = "scale", .kernel = accumulate}, "negative factor", "was never written"},
      {"ChangesItsInput", after("add", change_input(0)), "denormals", "input 0 (a): was changed, but it is only read"},
      {"ChangesAConstant", after("rms_norm", change_input(1)), "outliers",
       "input 1 (weight): was changed, but it is a constant"},
      {"WritesToAnotherRowOfTheCache", after("kv_append", [](const KernelRun& run) { flip(run.out[0].data); }),
       "f16 cache, decode at 37", "of the state was changed"},
  };
}

}  // namespace weft::conformance
