// Models split over several files: which shard a file is, and the names of the others.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "core/result.hpp"
#include "models/io/gguf_parse.hpp"

namespace weft::models {

/// What a shard says of itself, from its `split.*` keys.
struct SplitInfo {
  std::int64_t number = 0;                     ///< from 0
  std::int64_t count = 1;                      ///< shards in all; 1: not split
  std::optional<std::int64_t> tensors_in_all;  ///< over all shards
};

/// Reads and range-checks the keys. A file without `split.count` is a whole model.
[[nodiscard]] Result<SplitInfo> split_info(const GgufContents& contents);

/// Paths of shards 2 to `count`, in the folder of the first, whose name must end in -00001-of-COUNT.gguf.
[[nodiscard]] Result<std::vector<std::filesystem::path>> later_shards(const std::filesystem::path& first,
                                                                      std::int64_t count);

/// The file name of the first shard for the name of any; nullopt when the name isn't a shard's.
[[nodiscard]] std::optional<std::string> first_shard_name(const std::filesystem::path& shard);

}  // namespace weft::models
