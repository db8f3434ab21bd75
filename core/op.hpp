// What every op declares: ports, cost, tolerance, samples, and the concept that checks it.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/facts.hpp"
#include "core/result.hpp"
#include "core/tensor.hpp"

namespace weft {

enum class PortKind : std::uint8_t {
  required,
  optional,  ///< may be absent (TensorDesc::absent())
  repeated,  ///< the last port: any number of operands of this kind follow
};

/// One operand of an op, for messages and documentation.
struct Port {
  std::string_view name;
  std::string_view shape;
  PortKind kind = PortKind::required;
};

/// Work of one call at its descriptors' sizes. Bytes count each operand once.
struct Cost {
  double flops = 0;
  double bytes_read = 0;
  double bytes_written = 0;
};

/// To what a kernel rounds its activations before it multiplies: part of what it promises, and of its tolerance.
enum class ActivationPrecision : std::uint8_t {
  full,  ///< f32 (or the operand's own type)
  int8,  ///< blocks of 32 or more share a scale of max|x|/127
};

/// A kernel is right when |got - want| <= absolute + relative * magnitude for each element; magnitude is the op's
/// `magnitude` (sums of absolute products for dot products), or |want| where the op has none.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

/// How an operand of a sample is filled.
struct Fill {
  enum class Kind : std::uint8_t { normal, integers, values, blocks };
  Kind kind = Kind::normal;
  float scale = 1.0F;                  ///< normal: standard deviation (and of block scales for quantised types)
  std::vector<std::int32_t> integers;  ///< integers: all elements of an i32 operand
  std::vector<float> values;           ///< values: all elements of an f32, f16 or bf16 operand
  std::vector<std::uint8_t> block;     ///< blocks: the bytes of one block, repeated

  [[nodiscard]] static Fill normal(float scale = 1.0F) { return {Kind::normal, scale, {}, {}, {}}; }
  [[nodiscard]] static Fill of(std::vector<std::int32_t> integers) {
    return {Kind::integers, 1.0F, std::move(integers), {}, {}};
  }
  [[nodiscard]] static Fill of(std::vector<float> values) { return {Kind::values, 1.0F, {}, std::move(values), {}}; }
  [[nodiscard]] static Fill blocks(std::vector<std::uint8_t> block) {
    return {Kind::blocks, 1.0F, {}, {}, std::move(block)};
  }
};

struct SampleInput {
  TensorDesc desc;  ///< numbers only
  Fill fill;
};

/// One call that conformance runs: attributes and inputs.
template <class T>
struct Sample {
  std::string name;
  T op;
  std::vector<SampleInput> inputs;
};

/// Output `output` shares the storage of input `input`: the op updates it in place.
struct Alias {
  std::size_t output = 0;
  std::size_t input = 0;
};

/// A view op's result: a descriptor and where it starts in its input's storage.
struct View {
  TensorDesc desc;
  std::int64_t byte_offset = 0;
};

/// An op is a plain struct of attributes that says what it means. See docs of each op in core/ops/.
template <class T>
concept OpType = std::equality_comparable<T> && requires(const T op, TensorSpan in, ConstHostViews host_in,
                                                         MutableHostViews host_out, ActivationPrecision precision) {
  { T::name } -> std::convertible_to<std::string_view>;
  T::inputs.size();
  T::outputs.size();
  { op.infer(in) } -> std::same_as<Result<TensorDescs>>;
  { op.reference(host_in, host_out) } -> std::same_as<void>;
  { op.cost(in) } -> std::same_as<Cost>;
  { op.facts(in) } -> std::same_as<Facts>;
  { op.tolerance(in, precision) } -> std::same_as<Tolerance>;
  { T::samples() } -> std::same_as<std::vector<Sample<T>>>;
};

/// Ops whose outputs are views of input 0; they cost nothing and no backend runs them.
template <class T>
concept ViewOpType = OpType<T> && requires(const T op, const TensorDesc& in) {
  { op.view(in) } -> std::same_as<Result<View>>;
};

/// Ops whose error is measured against something else than the result itself.
template <class T>
concept HasMagnitude = requires(const T op, ConstHostViews in, MutableHostViews out) {
  op.magnitude(in, out);
};

/// Ops that update an input in place.
template <class T>
concept HasAliases = requires {
  T::aliases.size();
};

}  // namespace weft
