// Shard keys and names: <prefix>-00001-of-00003.gguf, numbered from 1 in names and from 0 in keys.
#include "models/io/gguf_split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "models/io/gguf_values.hpp"
#include "models/io/printable.hpp"

namespace weft::models {
namespace {

constexpr std::int64_t max_shards = 999;
constexpr std::string_view suffix_form = "-00000-of-00000.gguf";

struct Range {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

Result<std::optional<std::int64_t>> integer_in(const GgufContents& contents, std::string_view key, Range range) {
  const auto pair = std::ranges::find(contents.metadata, key, [](const auto& p) { return std::string_view(p.first); });
  if (pair == contents.metadata.end()) return std::optional<std::int64_t>();
  const auto* value = std::get_if<std::int64_t>(&pair->second);
  if (value == nullptr) {
    return fail(ErrorCode::invalid_file, "metadata key '{}' is {}, an integer wanted", key, kind_of(pair->second));
  }
  if (*value < range.least || *value > range.most) {
    return fail(ErrorCode::invalid_file, "metadata key '{}' is {}, {} to {} wanted", key, *value, range.least,
                range.most);
  }
  return std::optional(*value);
}

std::string shard_suffix(std::int64_t number, std::int64_t count) {
  return fmt::format("-{:05}-of-{:05}.gguf", number, count);
}

/// True when `name` ends as a shard's name does, whatever its numbers are.
bool has_shard_suffix(std::string_view name) {
  if (name.size() <= suffix_form.size()) return false;
  const auto same = [](char form, char c) { return form == '0' ? c >= '0' && c <= '9' : c == form; };
  return std::ranges::equal(suffix_form, name.substr(name.size() - suffix_form.size()), same);
}

}  // namespace

Result<SplitInfo> split_info(const GgufContents& contents) {
  SplitInfo info;
  const auto count = integer_in(contents, "split.count", {0, max_shards});
  if (!count) return error_of(count);
  info.count = std::max<std::int64_t>(count->value_or(1), 1);
  const auto number = integer_in(contents, "split.no", {0, info.count - 1});
  if (!number) return error_of(number);
  info.number = number->value_or(0);
  const auto tensors = integer_in(contents, "split.tensors.count", {0, INT32_MAX});
  if (!tensors) return error_of(tensors);
  info.tensors_in_all = *tensors;
  return info;
}

Result<std::vector<std::filesystem::path>> later_shards(const std::filesystem::path& first, std::int64_t count) {
  const std::string name = first.filename().string();
  const std::string wanted = shard_suffix(1, count);
  if (!has_shard_suffix(name) || !name.ends_with(wanted)) {
    return fail(ErrorCode::invalid_file,
                "is the first of {} files, so its name must end in {}; give it and the others their names back", count,
                wanted);
  }
  const std::string prefix = name.substr(0, name.size() - wanted.size());
  std::vector<std::filesystem::path> paths;
  for (std::int64_t number = 2; number <= count; ++number) {
    paths.push_back(first.parent_path() / (prefix + shard_suffix(number, count)));
  }
  return paths;
}

std::optional<std::string> first_shard_name(const std::filesystem::path& shard) {
  std::string name = shard.filename().string();
  if (!has_shard_suffix(name)) return std::nullopt;
  name.replace(name.size() - suffix_form.size(), std::string_view("-00000").size(), "-00001");
  return name;
}

}  // namespace weft::models
