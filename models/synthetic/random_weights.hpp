// Random weights of any type, made in pieces that depend on nothing but their place.
#pragma once

#include <cstdint>
#include <span>

#include "core/dtype.hpp"
#include "core/result.hpp"
#include "models/io/gguf_writer.hpp"

namespace weft::models {

struct RandomTensor {
  DType type = DType::none;
  std::uint64_t elements = 0;  ///< whole blocks
  std::uint64_t seed = 0;      ///< of this tensor
  float mean = 0.0F;           ///< plain numbers only; block formats have 0
  float deviation = 1.0F;
};

/// Gives the tensor's bytes in pieces, made by `threads` threads while the pieces before them are appended. Plain
/// numbers are sums of four uniform ones: near normal, magnitude below 3.5 deviations, from integer arithmetic alone.
/// Block formats are random codes with scales that give about the deviation (fill_random_blocks).
[[nodiscard]] Status stream_random(const RandomTensor& tensor, int threads, const GgufWriter::Append& append);

/// A seed for item `index` of what `seed` stands for.
[[nodiscard]] std::uint64_t derived_seed(std::uint64_t seed, std::uint64_t index);

}  // namespace weft::models
