// The list of model families: a new family adds its declaration and its line.
#include <fmt/core.h>

#include <array>
#include <string>

#include "models/families/family.hpp"

namespace weft::models {

Result<ModelSpec> gemma3_spec(const GgufFile& file);
Result<ModelSpec> llama_spec(const GgufFile& file);
Result<ModelSpec> qwen2_spec(const GgufFile& file);
Result<ModelSpec> qwen3_spec(const GgufFile& file);

std::span<const Family> families() {
  static constexpr std::array list{
      Family{"gemma3", gemma3_spec},
      Family{"llama", llama_spec},
      Family{"qwen2", qwen2_spec},
      Family{"qwen3", qwen3_spec},
  };
  return list;
}

Result<const Family*> family_of(const GgufFile& file) {
  const auto architecture = file.required_text("general.architecture");
  if (!architecture) return error_of(architecture);
  std::string known;
  for (const Family& family : families()) {
    if (family.architecture == *architecture) return &family;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", family.architecture);
  }
  return fail(ErrorCode::unsupported, "{}: architecture \"{}\" is not supported; known are {}", file.path().string(),
              *architecture, known);
}

}  // namespace weft::models
