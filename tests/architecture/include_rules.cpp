// Which folder may include what: the arrows of ARCHITECTURE.md as data.
#include "tests/architecture/include_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace weft::architecture {
namespace {

using Names = std::span<const std::string_view>;

/// What files below `folder` may include. The first entry that a path starts with counts.
struct FolderRule {
  std::string_view folder;
  std::vector<std::string_view> may_include;
};

const std::vector<FolderRule>& folder_rules() {
  static const std::vector<FolderRule> rules{
      {"core/", {"core/"}},
      {"graph/", {"core/", "graph/"}},
      {"models/", {"core/", "graph/", "models/"}},
      {"backends/all.", {"core/", "backends/"}},
      {"backends/", {"core/"}},  // and its own folder, see may_include()
      {"bench/", {"core/", "graph/", "models/", "backends/all.hpp", "bench/"}},
      {"cli/", {"core/", "graph/", "models/", "backends/all.hpp", "bench/", "cli/"}},
      {"tests/", {"core/", "graph/", "models/", "backends/all.hpp", "bench/", "tests/"}},
  };
  return rules;
}

/// Headers of a library that only some files may see.
struct LibraryRule {
  std::string_view library;
  std::vector<std::string_view> headers;
  std::vector<std::string_view> folders;
};

const std::vector<LibraryRule>& library_rules() {
  static const std::vector<LibraryRule> rules{
      {"OpenCL", {"CL/", "OpenCL/"}, {"backends/opencl/"}},
      {"CLBlast", {"clblast"}, {"backends/opencl/"}},
      {"oneTBB", {"tbb/", "oneapi/"}, {"backends/cpu/"}},
      {"Boost.Program_options", {"boost/program_options"}, {"cli/", "bench/"}},
  };
  return rules;
}

bool starts_with_any(std::string_view text, Names prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return text.starts_with(prefix); });
}

/// "backends/cpu/" for "backends/cpu/ops/add/add.cpp"; nothing for files that are in no backend's folder.
std::optional<std::string_view> backend_folder(std::string_view path) {
  constexpr std::string_view root = "backends/";
  if (!path.starts_with(root)) return std::nullopt;
  const std::size_t slash = path.find('/', root.size());
  if (slash == std::string_view::npos) return std::nullopt;
  return path.substr(0, slash + 1);
}

std::optional<std::string> project_problem(std::string_view path, std::string_view target) {
  const auto rule =
      std::ranges::find_if(folder_rules(), [&](const FolderRule& r) { return path.starts_with(r.folder); });
  if (rule == folder_rules().end()) return fmt::format("{} is in no folder that has C++ sources", path);
  if (starts_with_any(target, rule->may_include)) return std::nullopt;
  const auto own = backend_folder(path);
  if (own && target.starts_with(*own)) return std::nullopt;
  return fmt::format("\"{}\" may not be included here: {} includes, from the root of the tree, only {}{}", target,
                     own.value_or(rule->folder), fmt::join(rule->may_include, ", "),
                     own ? fmt::format(", {}", *own) : "");
}

std::optional<std::string> library_problem(std::string_view path, std::string_view target) {
  if (target.starts_with("nlohmann/") && !path.ends_with(".cpp")) {
    return fmt::format("<{}> may be included only in .cpp files", target);
  }
  for (const LibraryRule& rule : library_rules()) {
    if (!starts_with_any(target, rule.headers) || starts_with_any(path, rule.folders)) continue;
    return fmt::format("<{}>: {} may be included only below {}", target, rule.library, fmt::join(rule.folders, ", "));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Include> include_of(std::string_view line) {
  const auto skip_blanks = [&] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
  skip_blanks();
  if (!line.starts_with('#')) return std::nullopt;
  line.remove_prefix(1);
  skip_blanks();
  constexpr std::string_view word = "include";
  if (!line.starts_with(word)) return std::nullopt;
  line.remove_prefix(word.size());
  skip_blanks();
  if (line.empty() || (line.front() != '"' && line.front() != '<')) return std::nullopt;
  const bool quoted = line.front() == '"';
  const std::size_t end = line.find(quoted ? '"' : '>', 1);
  if (end == std::string_view::npos) return std::nullopt;
  return Include{line.substr(1, end - 1), quoted};
}

std::optional<std::string> include_problem(std::string_view path, const Include& include) {
  return include.quoted ? project_problem(path, include.target) : library_problem(path, include.target);
}

}  // namespace weft::architecture
