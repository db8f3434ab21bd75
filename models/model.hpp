// A loaded model file: specification, weights and tokenizer. Immutable and shared between sessions.
#pragma once

#include <filesystem>
#include <memory>

#include "core/result.hpp"
#include "models/io/gguf.hpp"
#include "models/lowering.hpp"
#include "models/spec.hpp"
#include "models/tokenizer/tokenizer.hpp"

namespace weft::models {

class Model {
 public:
  /// Errors name file, key or tensor.
  [[nodiscard]] static Result<std::shared_ptr<const Model>> load(const std::filesystem::path& path,
                                                                 LoadMode mode = LoadMode::mapped);

  [[nodiscard]] const ModelSpec& spec() const { return spec_; }
  [[nodiscard]] const GgufFile& file() const { return weights_.file(); }
  [[nodiscard]] const Tokenizer& tokenizer() const { return *tokenizer_; }
  [[nodiscard]] Result<LoweredModel> lower(const LoweringOptions& options) const {
    return models::lower(spec_, weights_, options);
  }

 private:
  Model(ModelSpec spec, Weights weights, std::unique_ptr<const Tokenizer> tokenizer)
      : spec_(std::move(spec)), weights_(std::move(weights)), tokenizer_(std::move(tokenizer)) {}

  ModelSpec spec_;
  Weights weights_;
  std::unique_ptr<const Tokenizer> tokenizer_;
};

}  // namespace weft::models
