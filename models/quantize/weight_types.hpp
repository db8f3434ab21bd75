// Which type each tensor of a model gets when the whole is asked for in one: a rule table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.hpp"
#include "core/result.hpp"
#include "core/rules/rules.hpp"

namespace weft::models {

/// What the rules may test of a tensor.
struct WeightFacts {
  std::string_view name;               ///< "blk.3.ffn_down.weight"
  std::span<const std::int64_t> dims;  ///< outermost first
  bool head = false;                   ///< makes the logits: output.weight, or the token table where there is none
  std::int64_t layers = 0;             ///< of the model
};

struct WeightChoice {
  DType type = DType::none;
  std::string why;  ///< the rule's reason
};

/// Facts: tensor (the name without "blk.N."), rank, row (elements of a row), rows, head (1 or 0), layer (-1 outside
/// layers), layers, asked (the type asked for), block (elements of its blocks). `use` is a type or "asked".
class WeightTypes {
 public:
  /// The built-in table, models/quantize/weight_types.rules.json, or a `custom` one in its place (`source` names it in
  /// messages). Errors: invalid_file.
  [[nodiscard]] static Result<WeightTypes> make();
  [[nodiscard]] static Result<WeightTypes> parse(std::string_view json, std::string_view source);

  /// Errors: invalid_argument (a row that is no whole number of the chosen type's blocks; only a custom table can).
  [[nodiscard]] Result<WeightChoice> choose(const WeightFacts& weight, DType asked) const;

 private:
  explicit WeightTypes(RuleTable table) : table_(std::move(table)) {}
  RuleTable table_;
};

/// `general.file_type` of a file whose weights were asked for in this type. A label: readers look at the tensors.
[[nodiscard]] std::optional<std::uint32_t> file_type_of(DType type);

/// "general.quantization_version" of files with block formats as they are today.
inline constexpr std::uint32_t quantization_version = 2;

}  // namespace weft::models
