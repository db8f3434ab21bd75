// What a kernel of this backend is: made once for a step of a segment, then run by all members of a team.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cpu/barrier.hpp"
#include "core/backend.hpp"

namespace weft::cpu {

class WeightStore;

/// Hands out units of work to whoever is free.
struct alignas(cache_line) UnitCounter {
  std::atomic<std::int64_t> next{0};
};

/// What a step needs while it runs. Pointers are resolved once per enqueue; absent operands have null.
struct StepContext {
  int worker = 0;
  int workers = 1;
  int phase = 0;
  std::span<std::byte* const> inputs;
  std::span<std::byte* const> outputs;
  std::byte* scratch = nullptr;  ///< of the step, shared by its workers, at a multiple of 64
  const SymbolValues* symbols = nullptr;
  UnitCounter* units = nullptr;  ///< of this phase, zero when it starts

  /// The next unit that nobody has taken yet.
  [[nodiscard]] std::int64_t take_unit() const { return units->next.fetch_add(1, std::memory_order_relaxed); }
};

inline constexpr int max_phases = 4;

/// A compiled step. Workers run phase 0 together, meet, run phase 1 … What is computed must not depend on how many
/// workers there are, down to the bits.
class Step {
 public:
  virtual ~Step() = default;
  /// 1 to max_phases; the same for all workers.
  [[nodiscard]] virtual int phases(const SymbolValues& /*symbols*/) const { return 1; }
  virtual void run(const StepContext& context) const = 0;
  /// Of packed weights that the step keeps alive, with others perhaps.
  [[nodiscard]] virtual std::size_t packed_bytes() const { return 0; }
};

/// One operand as the kernel's maker sees it.
struct StepOperand {
  TensorDesc desc;
  std::shared_ptr<const HostTensor> constant;  ///< of weights
};

/// What a step is made from. Scratch is planned here, at the maxima of all symbols.
class StepPlan {
 public:
  const SegmentStep* step = nullptr;
  std::vector<StepOperand> inputs;
  std::vector<StepOperand> outputs;
  int workers = 1;  ///< at most
  WeightStore* weights = nullptr;

  /// Byte position of `bytes` more bytes of the step's scratch, at a multiple of 64.
  std::size_t reserve(std::size_t bytes) {
    const std::size_t at = scratch_bytes_;
    scratch_bytes_ += (bytes + cache_line - 1) / cache_line * cache_line;
    return at;
  }
  [[nodiscard]] std::size_t scratch_bytes() const { return scratch_bytes_; }
  template <class T>
  [[nodiscard]] const T& op() const {
    return std::get<T>(step->call.op);
  }

 private:
  std::size_t scratch_bytes_ = 0;
};

using MakeStep = std::function<Result<std::unique_ptr<Step>>(StepPlan&)>;

/// A named way to run an op: `cpu/<op>/<variant>`.
struct Kernel {
  std::string op;
  std::string name;
  MakeStep make;
};

/// A contiguous share of `count` items: worker w of n gets [begin, end).
struct Share {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};
[[nodiscard]] inline Share share_of(std::int64_t count, const StepContext& context) {
  return {count * context.worker / context.workers, count * (context.worker + 1) / context.workers};
}

}  // namespace weft::cpu
