// Work is cut into pieces of a row, so that one long row is shared as well as many short ones.
#include "backends/cpu/ops/elementwise.hpp"

#include <algorithm>
#include <array>

#include "backends/cpu/operand_rows.hpp"

namespace weft::cpu {
namespace {

constexpr std::int64_t piece = 1024;  // elements
using Piece = std::array<float, piece>;

/// Calls use(row, begin, n) for this worker's pieces.
template <class Use>
void for_pieces(const OperandRows& rows, const StepContext& context, Use use) {
  const std::int64_t pieces = (rows.width() + piece - 1) / piece;
  const Share share = share_of(rows.count() * pieces, context);
  for (std::int64_t i = share.begin; i < share.end; ++i) {
    const std::int64_t begin = i % pieces * piece;
    use(i / pieces, begin, std::min(piece, rows.width() - begin));
  }
}

class UnaryStep final : public Step {
 public:
  UnaryStep(const StepPlan& plan, const Loops& loops, UnaryFunction function)
      : x_(plan.inputs[0].desc), y_(plan.outputs[0].desc), loops_(loops), function_(std::move(function)) {}

  void run(const StepContext& c) const override {
    const OperandRows x(x_, c.inputs[0], *c.symbols);
    const OperandRows y(y_, c.outputs[0], *c.symbols);
    Piece loaded;
    Piece computed;
    for_pieces(x, c, [&](std::int64_t row, std::int64_t begin, std::int64_t n) {
      std::byte* to = y.row(row);
      float* target = y.target(to, begin, computed.data());
      function_(x.load(loops_, x.row(row), begin, n, loaded.data()), target, n);
      y.store(loops_, to, begin, n, target);
    });
  }

 private:
  TensorDesc x_, y_;
  const Loops& loops_;
  UnaryFunction function_;
};

class BinaryStep final : public Step {
 public:
  BinaryStep(const StepPlan& plan, const Loops& loops, BinaryFunction function)
      : a_(plan.inputs[0].desc),
        b_(plan.inputs[1].desc),
        y_(plan.outputs[0].desc),
        loops_(loops),
        function_(std::move(function)) {}

  void run(const StepContext& c) const override {
    const OperandRows a(a_, c.inputs[0], *c.symbols);
    const OperandRows b(b_, c.inputs[1], *c.symbols);
    const OperandRows y(y_, c.outputs[0], *c.symbols);
    Piece left;
    Piece right;
    Piece computed;
    for_pieces(a, c, [&](std::int64_t row, std::int64_t begin, std::int64_t n) {
      std::byte* to = y.row(row);
      float* target = y.target(to, begin, computed.data());
      function_(a.load(loops_, a.row(row), begin, n, left.data()),
                b.load(loops_, b.broadcast_row(a, row), begin, n, right.data()), target, n);
      y.store(loops_, to, begin, n, target);
    });
  }

 private:
  TensorDesc a_, b_, y_;
  const Loops& loops_;
  BinaryFunction function_;
};

}  // namespace

std::unique_ptr<Step> make_unary_step(const StepPlan& plan, const Loops& loops, UnaryFunction function) {
  return std::make_unique<UnaryStep>(plan, loops, std::move(function));
}

std::unique_ptr<Step> make_binary_step(const StepPlan& plan, const Loops& loops, BinaryFunction function) {
  return std::make_unique<BinaryStep>(plan, loops, std::move(function));
}

}  // namespace weft::cpu
