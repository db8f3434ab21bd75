// What a model family provides, and the helpers that read the keys most families share.
#pragma once

#include <span>
#include <string_view>

#include "core/result.hpp"
#include "models/io/gguf.hpp"
#include "models/spec.hpp"

namespace weft::models {

/// A family turns a file's hyper-parameters into a ModelSpec; models/lowering.cpp turns that into a graph.
struct Family {
  std::string_view architecture;  ///< `general.architecture` of its files
  Result<ModelSpec> (*spec)(const GgufFile& file);
};

/// All families, from families.cpp.
[[nodiscard]] std::span<const Family> families();
/// The family of a file. Errors: invalid_file (no architecture), unsupported (names it and lists the known ones).
[[nodiscard]] Result<const Family*> family_of(const GgufFile& file);

/// Reads `<architecture>.*` keys that every decoder has: sizes, heads, context, eps, vocabulary, a feed-forward width
/// for each layer, soft-caps, and fills `layers` with plain pre-norm layers: scale 1/sqrt(dk), no window, rope off.
/// Checks counts and products before anything is allocated by them.
[[nodiscard]] Result<ModelSpec> common_spec(const GgufFile& file);

/// `<architecture>.rope.*`: dimension_count, freq_base, linear and YaRN scaling.
[[nodiscard]] Result<RopeSpec> rope_from(const GgufFile& file, RopePairing pairing, std::int64_t default_dims);

}  // namespace weft::models
