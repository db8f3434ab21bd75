// The tensor types a GGUF file may name: every id in use or removed, its block size, and the weft type it maps to.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/dtype.hpp"

namespace weft::models {

/// One tensor type of the file format. A row of n elements takes n / block_elements * block_bytes bytes.
struct GgmlType {
  std::uint32_t id = 0;
  std::string_view name;             ///< "Q4_K"
  std::uint64_t block_elements = 0;  ///< 0: the type was removed from the format, files with it must be re-converted
  std::uint64_t block_bytes = 0;
  DType dtype = DType::none;  ///< none when weft has no such type

  [[nodiscard]] bool removed() const { return block_elements == 0; }
};

/// The type with this id, removed ones included; nullptr when no version of the format known here has it.
[[nodiscard]] const GgmlType* find_ggml_type(std::uint32_t id);

/// The id that stores a weft type; nullopt for `none` and `state`.
[[nodiscard]] std::optional<std::uint32_t> ggml_type_of(DType type);

}  // namespace weft::models
