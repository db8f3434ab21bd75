// What quantize and synth share: the type asked for, and the table that says what each tensor gets.
#pragma once

#include <span>
#include <string_view>

#include "cli/options.hpp"
#include "core/dtype.hpp"
#include "core/result.hpp"
#include "models/quantize/weight_types.hpp"

namespace weft::cli {

/// --type, --threads, --rules.
void add_weight_options(OptionTable& table);

/// --type as one of `known`. Errors: invalid_argument, with the list.
[[nodiscard]] Result<DType> asked_type(const Parsed& parsed, std::span<const DType> known);
/// --threads. Errors: invalid_argument.
[[nodiscard]] Result<int> asked_threads(const Parsed& parsed);
/// The built-in table or that of --rules. Errors: invalid_argument (no such file), invalid_file.
[[nodiscard]] Result<models::WeightTypes> weight_rules(const Parsed& parsed);

}  // namespace weft::cli
