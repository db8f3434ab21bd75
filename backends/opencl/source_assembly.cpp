// Includes among embedded sources.
#include "backends/opencl/source_assembly.hpp"

#include <algorithm>
#include <vector>

namespace weft::opencl {
namespace {

constexpr std::string_view include_word = "#include \"";

class Assembly {
 public:
  explicit Assembly(std::span<const EmbeddedFile> files) : files_(files) {}

  Status add(std::string_view path) {
    if (std::ranges::find(done_, path) != done_.end()) return {};
    done_.push_back(path);
    const auto file = std::ranges::find(files_, path, &EmbeddedFile::path);
    if (file == files_.end()) return fail(ErrorCode::internal, "OpenCL source {} is not built in", path);
    std::string_view rest = file->text;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      const std::string_view line = rest.substr(0, end);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      if (Status ok = add_line(line); !ok) return error_of(ok, path);
    }
    return {};
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  Status add_line(std::string_view line) {
    if (!line.starts_with(include_word)) {
      text_.append(line).push_back('\n');
      return {};
    }
    line.remove_prefix(include_word.size());
    return add(line.substr(0, line.find('"')));
  }

  std::span<const EmbeddedFile> files_;
  std::vector<std::string_view> done_;
  std::string text_;
};

}  // namespace

Result<std::string> assemble_source(std::span<const EmbeddedFile> files, std::string_view path) {
  Assembly assembly(files);
  if (Status ok = assembly.add(path); !ok) return error_of(ok);
  return assembly.take();
}

}  // namespace weft::opencl
