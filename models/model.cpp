// Loading of a model file.
#include "models/model.hpp"

#include "models/families/family.hpp"

namespace weft::models {

Result<std::shared_ptr<const Model>> Model::load(const std::filesystem::path& path, LoadMode mode) {
  auto file = GgufFile::open(path, mode);
  if (!file) return error_of(file);
  const auto family = family_of(**file);
  if (!family) return error_of(family);
  auto spec = (*family)->spec(**file);
  if (!spec) return error_of(spec);
  auto vocabulary = vocabulary_from(**file);
  if (!vocabulary) return error_of(vocabulary, path.string());
  if (static_cast<std::int64_t>(vocabulary->tokens.size()) > spec->vocab) {
    return fail(ErrorCode::invalid_file, "{}: tokenizer.ggml.tokens has {} entries, but token_embd.weight only {} rows",
                path.string(), vocabulary->tokens.size(), spec->vocab);
  }
  auto tokenizer = Tokenizer::make(std::move(*vocabulary));
  if (!tokenizer) return error_of(tokenizer, path.string());
  return std::shared_ptr<const Model>(new Model(std::move(*spec), Weights(std::move(*file)), std::move(*tokenizer)));
}

}  // namespace weft::models
