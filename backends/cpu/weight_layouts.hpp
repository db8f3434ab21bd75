// Which layout a weight is kept in: chosen once by rules, before kernels are.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/backend.hpp"

namespace weft::cpu {

enum class WeightLayout : std::uint8_t {
  rows,     ///< as the file stores it
  panel16,  ///< panel.hpp
};
[[nodiscard]] std::string_view name_of(WeightLayout layout);

/// Immutable; facts: weight (type), n, k, precision, device.*.
class WeightLayouts {
 public:
  static constexpr std::string_view table_name = "weight_layout";
  [[nodiscard]] static RuleVocabulary vocabulary(const DeviceInfo& device);
  /// `table` was parsed with that vocabulary.
  WeightLayouts(RuleTable table, const DeviceInfo& device) : table_(std::move(table)), device_(facts_of(device)) {}
  /// Of a weight `[N, K]`.
  [[nodiscard]] WeightLayout layout_of(const TensorDesc& weight, Precision precision) const;
  /// One word for all weights of a call: a layout's name, "mixed", or "none" where the op has no weights.
  [[nodiscard]] std::string_view fact_of(const OpCall& call) const;

 private:
  RuleTable table_;
  Facts device_;
};

/// Indices of the inputs that are matmul weights.
[[nodiscard]] std::vector<std::size_t> weight_inputs(const Op& op, std::size_t inputs);

}  // namespace weft::cpu
