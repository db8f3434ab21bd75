// POSIX side of FileReplacement: exclusive creation, complete writes, rename.
#include "models/io/file_replacement.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "models/io/printable.hpp"

namespace weft::models {
namespace {

constexpr std::size_t write_chunk = std::size_t{1} << 30;  // Linux moves at most 2 GiB a call
constexpr int max_attempts = 100;

std::string reason(int error) { return std::generic_category().message(error); }

std::string shown(const std::filesystem::path& path) { return printable(path.string(), 400); }

Status check_target(const std::filesystem::path& target, std::span<const std::filesystem::path> inputs) {
  std::error_code ignored;
  const auto status = std::filesystem::status(target, ignored);
  if (std::filesystem::is_directory(status)) {
    return fail(ErrorCode::invalid_argument, "{}: is a folder, a file name is wanted", shown(target));
  }
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return fail(ErrorCode::invalid_argument, "{}: is no regular file; a rename would take its place", shown(target));
  }
  for (const std::filesystem::path& input : inputs) {
    std::error_code error;  // set when one of them doesn't exist: then they aren't the same file
    if (std::filesystem::equivalent(target, input, error) && !error) {
      return fail(ErrorCode::invalid_argument, "{}: is the input file {}; write to another name", shown(target),
                  shown(input));
    }
  }
  return {};
}

}  // namespace

Result<FileReplacement> FileReplacement::create(const std::filesystem::path& target,
                                                std::span<const std::filesystem::path> inputs) {
  if (auto allowed = check_target(target, inputs); !allowed) return error_of(allowed);
  int error = EEXIST;
  for (int attempt = 0; attempt < max_attempts && error == EEXIST; ++attempt) {
    std::filesystem::path temporary = target;
    temporary += fmt::format(".partial-{}-{}", ::getpid(), attempt);
    const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) return FileReplacement(target, std::move(temporary), descriptor);
    error = errno;
  }
  return fail(ErrorCode::invalid_argument, "{}: can't be written: {}", shown(target), reason(error));
}

FileReplacement::FileReplacement(std::filesystem::path target, std::filesystem::path temporary, int descriptor)
    : target_(std::move(target)), temporary_(std::move(temporary)), descriptor_(descriptor) {}

FileReplacement::FileReplacement(FileReplacement&& other) noexcept
    : target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

FileReplacement::~FileReplacement() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status FileReplacement::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), std::min(bytes.size(), write_chunk));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      return fail(ErrorCode::invalid_argument, "{}: can't be written: {}", shown(target_), reason(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Status FileReplacement::commit() {
  // Network file systems report a full disk only here.
  if (::close(std::exchange(descriptor_, -1)) != 0) {
    return fail(ErrorCode::invalid_argument, "{}: can't be written: {}", shown(target_), reason(errno));
  }
  std::error_code error;
  std::filesystem::rename(temporary_, target_, error);
  if (error) {
    return fail(ErrorCode::invalid_argument, "{}: can't be put in place: {}", shown(target_), error.message());
  }
  temporary_.clear();
  return {};
}

}  // namespace weft::models
