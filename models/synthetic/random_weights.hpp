// Random weights of any type, made in pieces that depend on nothing but their place.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

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

/// Makes random tensors, one after the other, through buffers of a few MiB.
class RandomWeights {
 public:
  explicit RandomWeights(int threads) : threads_(threads) {}

  /// Gives the tensor's bytes in pieces, made by the threads while the pieces before them are appended. Plain numbers
  /// are sums of four uniform ones: near normal, magnitude below 3.5 deviations, from integers and one multiply. Block
  /// formats are random codes with scales that give about the deviation (fill_random_blocks). Errors: what `append`
  /// returned.
  [[nodiscard]] Status stream(const RandomTensor& tensor, const GgufWriter::Append& append);

 private:
  int threads_;
  std::array<std::vector<std::byte>, 2> buffers_;
};

/// A seed for item `index` of what `seed` stands for.
[[nodiscard]] std::uint64_t derived_seed(std::uint64_t seed, std::uint64_t index);

}  // namespace weft::models
