// Writes a valid model file of a known shape with random weights.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

#include "core/dtype.hpp"
#include "core/result.hpp"
#include "models/quantize/weight_types.hpp"
#include "models/synthetic/shapes.hpp"

namespace weft::models {

struct SynthesisProgress {
  std::string_view tensor;
  std::uint64_t bytes_done = 0;
  std::uint64_t bytes_in_all = 0;
};

struct SynthesisOptions {
  DType type = DType::none;  ///< asked for; `types` says what each tensor gets
  std::uint64_t seed = 0;
  int threads = 0;  ///< 0: as many as the process may use
  /// Called often, from the calling thread. An error stops the work and is what `synthesize` returns.
  std::function<Status(const SynthesisProgress&)> progress;
};

/// Writes `output`, whole or not at all, and returns its tensors' bytes. Matrices have a deviation of
/// 1 / sqrt(elements of a row), so that activations keep their size and logits are finite; norms are near 1. The
/// tokenizer is a byte-level one with no merges: each byte a token, <|endoftext|>, and words " tN" up to the
/// vocabulary's size. The same seed gives the same bytes, whatever the number of threads.
/// Errors: invalid_argument (`output` can't be written, a type that no file may have).
[[nodiscard]] Result<std::uint64_t> synthesize(const ModelShape& shape, const std::filesystem::path& output,
                                               const WeightTypes& types, const SynthesisOptions& options);

}  // namespace weft::models
