// The op vocabulary: the one list of all ops, and an op of any kind as a value.
#pragma once

#include <functional>
#include <variant>

#include "core/op.hpp"
#include "core/ops/activation.hpp"
#include "core/ops/add.hpp"
#include "core/ops/add_rms_norm.hpp"
#include "core/ops/argmax.hpp"
#include "core/ops/attention.hpp"
#include "core/ops/cast.hpp"
#include "core/ops/concat.hpp"
#include "core/ops/copy.hpp"
#include "core/ops/embed.hpp"
#include "core/ops/glu.hpp"
#include "core/ops/kv_append.hpp"
#include "core/ops/logits.hpp"
#include "core/ops/matmul_add.hpp"
#include "core/ops/mul.hpp"
#include "core/ops/norm_matmul.hpp"
#include "core/ops/norm_matmul_glu.hpp"
#include "core/ops/permute.hpp"
#include "core/ops/qk_norm_rope_append.hpp"
#include "core/ops/quant_matmul.hpp"
#include "core/ops/reshape.hpp"
#include "core/ops/rms_norm.hpp"
#include "core/ops/rope.hpp"
#include "core/ops/scale.hpp"
#include "core/ops/slice.hpp"
#include "core/ops/softcap.hpp"

namespace weft {

template <class... Ts>
struct TypeList {
  static_assert((OpType<Ts> && ...), "every op declares what core/op.hpp asks for");
  using Variant = std::variant<Ts...>;
  static constexpr std::size_t size = sizeof...(Ts);
  /// Calls `visit.template operator()<T>()` for each op in order.
  template <class Visitor>
  static void for_each(Visitor&& visit) {
    (visit.template operator()<Ts>(), ...);
  }
};

using AllOps = TypeList<Embed, RmsNorm, QuantMatmul, Rope, KvAppend, Attention, Add, Mul, Scale, Softcap, Glu,
                        Activation, Cast, Copy, Slice, Reshape, Permute, Concat, Argmax, NormMatmul, MatmulAdd,
                        NormMatmulGlu, QkNormRopeAppend, AddRmsNorm, Logits>;

/// An op of any kind with its attributes.
using Op = AllOps::Variant;

[[nodiscard]] std::string_view name_of(const Op& op);
[[nodiscard]] Result<TensorDescs> infer(const Op& op, TensorSpan in);  ///< errors name op, operand, found, wanted
void reference(const Op& op, ConstHostViews in, MutableHostViews out);
[[nodiscard]] Cost cost(const Op& op, TensorSpan in);
[[nodiscard]] Facts facts(const Op& op, TensorSpan in);
[[nodiscard]] Tolerance tolerance(const Op& op, TensorSpan in, ActivationPrecision precision);
/// What errors are measured against: its own magnitude, or |want| (the reference's result). `out` is f32 and dense.
void magnitude(const Op& op, ConstHostViews in, MutableHostViews want, MutableHostViews out);
[[nodiscard]] bool is_view(const Op& op);
[[nodiscard]] Result<View> view_of(const Op& op, const TensorDesc& in);  ///< only for view ops
[[nodiscard]] std::span<const Alias> aliases(const Op& op);
[[nodiscard]] std::span<const Port> input_ports(const Op& op);
[[nodiscard]] std::span<const Port> output_ports(const Op& op);

/// A sample of any op.
struct AnySample {
  std::string name;
  Op op;
  std::vector<SampleInput> inputs;
};
/// Samples of every op, in the order of AllOps.
[[nodiscard]] std::vector<AnySample> all_samples();
/// Names of all ops, in the order of AllOps.
[[nodiscard]] std::vector<std::string_view> op_names();
/// Names and kinds of an op's facts; the same for every call of it. Empty for an unknown name.
[[nodiscard]] Facts example_facts(std::string_view op_name);

}  // namespace weft
