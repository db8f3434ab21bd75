// A model's named weights as constants of a graph, with the shape that the model expects.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "core/tensor.hpp"
#include "models/io/gguf.hpp"

namespace weft::models {

/// Weights of one file. Tensors share ownership of the file's mapping.
class Weights {
 public:
  explicit Weights(std::shared_ptr<const GgufFile> file) : file_(std::move(file)) {}

  /// Errors: invalid_file (no such tensor, another shape), unsupported (a type weft can't compute with).
  [[nodiscard]] Result<std::shared_ptr<const HostTensor>> require(std::string_view name, const Shape& shape) const;
  /// Null when the file has no such tensor.
  [[nodiscard]] Result<std::shared_ptr<const HostTensor>> optional(std::string_view name, const Shape& shape) const;
  [[nodiscard]] const GgufFile& file() const { return *file_; }

 private:
  std::shared_ptr<const GgufFile> file_;
};

}  // namespace weft::models
