// Operands of samples made into host tensors: what tests, conformance and benchmarks run ops on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/kv_cache.hpp"
#include "core/ops.hpp"
#include "core/tensor.hpp"

namespace weft {

/// A host tensor that owns its bytes, at a multiple of 64. Padding of strided rows belongs to it.
class OwnedTensor {
 public:
  OwnedTensor() = default;
  /// Zeroed; `bytes` is desc.bytes() unless the tensor is a state.
  explicit OwnedTensor(const TensorDesc& desc);
  OwnedTensor(const TensorDesc& desc, std::size_t bytes);
  [[nodiscard]] const TensorDesc& desc() const { return desc_; }
  [[nodiscard]] std::span<std::byte> bytes() { return {data_.get(), bytes_}; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_.get(), bytes_}; }
  [[nodiscard]] MutableHostView view() { return {desc_, data_.get()}; }
  [[nodiscard]] ConstHostView input() const { return {desc_, data_.get()}; }

 private:
  struct Free {
    void operator()(std::byte* data) const;
  };
  TensorDesc desc_;
  std::size_t bytes_ = 0;
  std::unique_ptr<std::byte, Free> data_;
};

/// The cache that an op works on; empty for ops without one.
[[nodiscard]] std::optional<CacheSpec> cache_spec_of(const Op& op);
/// Bytes of operand `desc` of `op`: of a state, what the op's cache needs; else desc.bytes().
[[nodiscard]] std::size_t operand_bytes(const Op& op, const TensorDesc& desc);

/// All inputs of a sample, filled as it says; the same seed gives the same bytes. A state without values of its own
/// holds random rows. Absent operands are tensors without bytes.
[[nodiscard]] std::vector<OwnedTensor> make_inputs(const AnySample& sample, std::uint64_t seed);
/// Outputs for an op's inferred descriptors: every byte is 0xFF (NaN in each float type), so that what a kernel left
/// out shows; outputs that alias an input start as a copy of it.
[[nodiscard]] std::vector<OwnedTensor> make_outputs(const Op& op, TensorSpan outputs,
                                                    std::span<const OwnedTensor> inputs);

[[nodiscard]] TensorDescs descs_of(std::span<const OwnedTensor> tensors);
[[nodiscard]] std::vector<ConstHostView> input_views(std::span<const OwnedTensor> tensors);
[[nodiscard]] std::vector<MutableHostView> output_views(std::span<OwnedTensor> tensors);

}  // namespace weft
