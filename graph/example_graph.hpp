// Small graphs with reproducible weights: what rewrites are shown on and tested with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "graph/builder.hpp"

namespace weft::graph {

/// A builder with the operands of a step of one sequence. Sizes are odd on purpose.
struct ExampleGraph {
  static constexpr std::int64_t tokens = 5;
  static constexpr std::int64_t width = 64;

  GraphBuilder b;

  /// Activations [tokens, width] f32.
  ValueId activations(std::string name, std::int64_t columns = width);
  /// An f32 weight of pseudo-random numbers that its name fixes, scaled to keep a dot product's size.
  ValueId weight(std::string_view name, const Shape& shape);
  /// positions, sequences, kv_table and kv_lengths as inputs.
  BatchInputs batch();
  ValueId cache(std::string name);
};

}  // namespace weft::graph
