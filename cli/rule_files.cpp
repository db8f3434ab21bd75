// Reading and sorting of rule files.
#include "cli/rule_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "backends/all.hpp"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

Result<std::string> read_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return fail(ErrorCode::invalid_argument, "cannot read the rule file {}", path.string());
  return text.str();
}

/// The backend that a path names as a folder or as the first word of its file name; empty if none.
std::string owner_of(const fs::path& path, const BackendCatalogue& catalogue) {
  for (const std::string& name : catalogue.names()) {
    const std::string file = path.filename().string();
    if (file.starts_with(name + ".")) return name;
    if (std::ranges::any_of(path.parent_path(), [&](const fs::path& part) { return part.string() == name; })) {
      return name;
    }
  }
  return "";
}

Status add_file(const fs::path& path, const BackendCatalogue& catalogue, RuleFiles& files) {
  auto text = read_text(path);
  if (!text) return error_of(text);
  const auto op = rule_table_op(*text, path.string());
  if (!op) return error_of(op);
  RuleOverride file{path.string(), std::move(*text)};
  if (*op == "placement") {
    files.placement.push_back(std::move(file));
    return {};
  }
  std::string owner = owner_of(path, catalogue);
  if (owner.empty()) {
    return fail(ErrorCode::invalid_argument,
                "--rules: {} doesn't say which backend it is for; name it <backend>.{}.json or put it into a folder "
                "named after the backend",
                path.string(), *op);
  }
  files.backend_files.emplace_back(std::move(owner), std::move(file));
  return {};
}

Result<std::vector<fs::path>> files_of(const std::string& name) {
  std::error_code error;
  if (!fs::is_directory(name, error)) return std::vector<fs::path>{name};
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(name, error)) {
    if (entry.path().extension() == ".json") found.push_back(entry.path());
  }
  if (error || found.empty()) {
    return fail(ErrorCode::invalid_argument, "--rules: folder {} holds no .json file", name);
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

Result<OwnedRuleFile> read_rule_file(const Parsed& parsed, const std::string& name, std::string_view owner) {
  const auto catalogue = backend_catalogue(parsed);
  if (!catalogue) return error_of(catalogue);
  auto text = read_text(name);
  if (!text) return error_of(text);
  auto op = rule_table_op(*text, name);
  if (!op) return error_of(op);
  std::string told = *op == "placement" ? *op : owner.empty() ? owner_of(name, *catalogue) : std::string(owner);
  if (told.empty()) {
    return fail(ErrorCode::invalid_argument, "{} doesn't say which backend it is for; give --backend", name);
  }
  return OwnedRuleFile{std::move(told), std::move(*op), {name, std::move(*text)}};
}

std::vector<RuleOverride> RuleFiles::for_backend(std::string_view backend) const {
  std::vector<RuleOverride> result;
  for (const auto& [owner, file] : backend_files) {
    if (owner == backend) result.push_back(file);
  }
  return result;
}

Result<RuleFiles> read_rule_files(const Parsed& parsed) {
  RuleFiles result;
  if (!parsed.has("rules")) return result;
  const auto catalogue = backend_catalogue(parsed);
  if (!catalogue) return error_of(catalogue);
  for (const std::string& name : parsed.values["rules"].as<std::vector<std::string>>()) {
    const auto files = files_of(name);
    if (!files) return error_of(files);
    for (const fs::path& path : *files) {
      if (Status ok = add_file(path, *catalogue, result); !ok) return error_of(ok);
    }
  }
  return result;
}

}  // namespace weft::cli
