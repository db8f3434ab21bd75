// What a step launches: programs, arguments and shapes, planned at compile time. Pure data, so plans are made and
// tested without a device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/backend.hpp"
#include "core/tensor.hpp"

namespace weft::opencl {

/// ceil(factor * symbol / divisor) * multiple; without a symbol, ceil(factor / divisor) * multiple.
struct Size {
  std::int64_t factor = 0;
  Symbol symbol = Symbol::none;
  std::int64_t divisor = 1;
  std::int64_t multiple = 1;

  constexpr Size() = default;
  constexpr Size(std::int64_t number) : factor(number) {}  // NOLINT: numbers are sizes
  constexpr Size(const Dim& dim)                           // NOLINT: dimensions are sizes
      : factor(dim.symbol == Symbol::none ? dim.max : 1), symbol(dim.symbol) {}
  [[nodiscard]] std::int64_t value(const SymbolValues& symbols) const {
    const std::int64_t amount = symbol == Symbol::none ? factor : factor * symbols[symbol];
    return (amount + divisor - 1) / divisor * multiple;
  }
  [[nodiscard]] bool fixed() const { return symbol == Symbol::none; }
  [[nodiscard]] Size times(std::int64_t n) const {
    Size size = *this;
    size.factor *= n;
    return size;
  }
  /// In whole pieces of `n`: the number of pieces.
  [[nodiscard]] Size pieces(std::int64_t n) const {
    Size size = *this;
    size.divisor *= n;
    return size;
  }
  /// Up to the next multiple of `n`.
  [[nodiscard]] Size rounded_up(std::int64_t n) const {
    Size size = pieces(n);
    size.multiple = n;
    return size;
  }
};

/// Where an operand's bytes are.
struct Place {
  enum class Kind : std::uint8_t { absent, binding, constant, scratch };
  Kind kind = Kind::absent;
  std::size_t index = 0;   ///< binding number, or index into the executable's constants
  std::size_t offset = 0;  ///< bytes
};

/// An operand as kernels see it.
struct Operand {
  TensorDesc desc;
  Place place;
  std::string name;
  std::shared_ptr<const HostTensor> constant;  ///< for what is computed from a constant at compile time
  /// Blocks of each plane where a quantised constant is stored as planes (weight_layout.hpp); 0 = blocks as in files.
  std::int64_t plane_blocks = 0;
  [[nodiscard]] bool present() const { return desc.present(); }
};

/// Sets two kernel arguments: the memory, and the byte offset in it as ulong.
struct MemoryArgument {
  Place place;
};
/// A number known at compile time.
struct NumberArgument {
  std::array<std::byte, 8> bytes{};
  std::size_t size = 0;
};
/// A size that may depend on symbols, as int or long.
struct SizeArgument {
  Size size;
  enum class Width : std::uint8_t { bits32, bits64 } width = Width::bits32;
};
using Argument = std::variant<MemoryArgument, NumberArgument, SizeArgument>;

/// One kernel launch. Global sizes count work-items and must come out as multiples of `local`.
struct Launch {
  std::string source;  ///< path of the embedded .cl file
  std::string kernel;
  std::vector<std::string> defines;  ///< "NAME=VALUE"
  std::vector<Argument> arguments;
  std::array<Size, 3> global{Size(1), Size(1), Size(1)};
  std::array<std::size_t, 3> local{1, 1, 1};

  Launch& define(std::string_view name, std::int64_t value);
  Launch& define(std::string_view name, std::string_view value);
  Launch& memory(const Operand& operand);
  Launch& memory(const Place& place);
  template <class T>
  Launch& number(T value) {
    static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8);
    NumberArgument argument;
    std::memcpy(argument.bytes.data(), &value, sizeof(T));
    argument.size = sizeof(T);
    arguments.emplace_back(argument);
    return *this;
  }
  Launch& size32(const Size& size);
  Launch& size64(const Size& size);
};

/// C[m, n] = A[m, k] * B[n, k]^T in f32 by CLBlast; strides in elements.
struct GemmCall {
  Place a, b, c;
  Size m;
  std::int64_t most_m = 0;  ///< the largest m
  std::int64_t n = 0, k = 0;
  std::int64_t a_stride = 0, b_stride = 0, c_stride = 0;
};

using StepAction = std::variant<Launch, GemmCall>;

/// Everything that one step does, in order, and what it needs besides its operands.
struct StepPlan {
  std::vector<StepAction> actions;
  std::size_t scratch_bytes = 0;
  std::vector<std::vector<std::byte>> tables;  ///< constants computed by the plan, referred to by table()

  Launch& launch(std::string_view source, std::string_view kernel);
  /// Room for a dense tensor during the step.
  [[nodiscard]] Operand scratch(const TensorDesc& desc);
  /// A constant made of these bytes. `first_table` is the executable's count of constants before this step.
  [[nodiscard]] Place table(std::vector<std::byte> bytes);
  std::size_t first_table = 0;
};

/// A step with its operands found.
struct StepRequest {
  const SegmentStep& step;
  std::vector<Operand> inputs;
  std::vector<Operand> outputs;
  const DeviceInfo& device;

  [[nodiscard]] const RuleParameters& with() const { return step.selection.with; }
  /// Parameter `name` of the rule, or `otherwise`.
  [[nodiscard]] std::int64_t parameter(std::string_view name, std::int64_t otherwise) const;
  template <class T>
  [[nodiscard]] const T& op() const {
    return std::get<T>(step.call.op);
  }
};

}  // namespace weft::opencl
