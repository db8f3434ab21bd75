// Writes a model file again with its weights in other types.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/dtype.hpp"
#include "core/result.hpp"
#include "models/io/gguf.hpp"
#include "models/quantize/weight_types.hpp"

namespace weft::models {

/// What became of one tensor.
struct TensorReport {
  std::string name;
  std::string from;  ///< types, as weft names them; a type weft can't compute with as the file format does
  std::string to;
  std::string why;  ///< the rule's reason
  std::uint64_t elements = 0;
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;
  double relative_error = 0;  ///< sqrt(sum (y - x)^2 / sum x^2); 0 for tensors that were copied
  double largest_error = 0;   ///< max |y - x|
};

struct QuantizeReport {
  std::vector<TensorReport> tensors;  ///< in file order
  std::vector<std::string> notes;     ///< for people: copied tensors, weights that had been quantised before
};

struct QuantizeProgress {
  std::string_view tensor;
  std::uint64_t bytes_done = 0;  ///< of the input's tensors
  std::uint64_t bytes_in_all = 0;
};

struct QuantizeOptions {
  DType type = DType::none;  ///< asked for; `types` says what each tensor gets
  int threads = 0;           ///< 0: as many as the process may use
  /// Called often, from the calling thread. An error stops the work and is what `quantize` returns.
  std::function<Status(const QuantizeProgress&)> progress;
};

/// Writes `output`, whole or not at all. Metadata is kept bit for bit, but for general.file_type and
/// general.quantization_version, and the split.* keys of a split model, which becomes one file. Tensors whose type
/// stays and those of types that aren't numbers to compute with are copied. The bytes written depend on the input,
/// `types` and the type asked for, not on the number of threads. Holds a few MiB of weights at a time. Errors:
/// invalid_argument (`output` is one of the input's files, can't be written, a type without an encoder), non_finite (a
/// weight is NaN or Inf, or becomes one in the type it should get; names tensor and element).
[[nodiscard]] Result<QuantizeReport> quantize(const GgufFile& input, const std::filesystem::path& output,
                                              const WeightTypes& types, const QuantizeOptions& options);

}  // namespace weft::models
