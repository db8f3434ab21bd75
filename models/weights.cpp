// Look-up of weights with checks of shape and type.
#include "models/weights.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace weft::models {
namespace {

bool same_dims(const std::vector<std::int64_t>& dims, const Shape& shape) {
  return std::ranges::equal(dims, shape.dims(), [](std::int64_t size, const Dim& dim) { return size == dim.max; });
}

Status check(const GgufFile& file, const GgufTensor& tensor, const Shape& shape) {
  const std::string path = file.path().string();
  if (!same_dims(tensor.dims, shape)) {
    return fail(ErrorCode::invalid_file, "{}: tensor {} has shape [{}], the model's metadata wants {}", path,
                tensor.name, fmt::join(tensor.dims, ", "), to_string(shape));
  }
  if (tensor.dtype == DType::none || tensor.dtype == DType::i32) {
    return fail(ErrorCode::unsupported, "{}: tensor {} has type {}, which weft can't compute with; convert the file",
                path, tensor.name, tensor.type_name);
  }
  if (shape.rank() == 1 && tensor.dtype != DType::f32) {
    return fail(ErrorCode::unsupported, "{}: tensor {} has type {}; one-dimensional tensors must be F32", path,
                tensor.name, tensor.type_name);
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const HostTensor>> Weights::require(std::string_view name, const Shape& shape) const {
  auto found = optional(name, shape);
  if (found && !*found) {
    return fail(ErrorCode::invalid_file, "{}: tensor {} {} is missing", file_->path().string(), name, to_string(shape));
  }
  return found;
}

Result<std::shared_ptr<const HostTensor>> Weights::optional(std::string_view name, const Shape& shape) const {
  const GgufTensor* tensor = file_->find_tensor(name);
  if (tensor == nullptr) return nullptr;
  if (Status ok = check(*file_, *tensor, shape); !ok) return error_of(ok);
  return std::make_shared<const HostTensor>(
      HostTensor{tensor->name, TensorDesc::dense(tensor->dtype, shape), file_->data(*tensor), file_});
}

}  // namespace weft::models
