// POSIX side of FileBytes: open, fstat, mmap or read.
#include "models/io/file_mapping.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

namespace weft::models {
namespace {

constexpr std::align_val_t page_alignment{4096};
constexpr std::size_t read_chunk = std::size_t{1} << 30;  // Linux moves at most 2 GiB a call

std::string reason(int error) { return std::generic_category().message(error); }

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return value_; }

 private:
  int value_;
};

Result<std::size_t> regular_file_size(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) {
    return fail(ErrorCode::invalid_argument, "the size can't be read: {}", reason(errno));
  }
  if (S_ISDIR(status.st_mode)) return fail(ErrorCode::invalid_argument, "is a folder, a file is wanted");
  if (!S_ISREG(status.st_mode)) return fail(ErrorCode::invalid_argument, "is no regular file");
  return static_cast<std::size_t>(status.st_size);
}

}  // namespace

Result<FileBytes> FileBytes::load(const std::filesystem::path& path, LoadMode mode) {
  // O_NONBLOCK: opening a named pipe must not wait for a writer before it is refused.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return fail(ErrorCode::invalid_argument, "can't be opened: {}", reason(errno));
  const auto size = regular_file_size(file.get());
  if (!size) return error_of(size);
  auto loaded = mode == LoadMode::mapped ? map(file.get(), *size) : read(file.get(), *size);
  if (!loaded) return loaded;
  const auto size_after = regular_file_size(file.get());
  if (!size_after) return error_of(size_after);
  if (*size_after != *size) {
    return fail(ErrorCode::invalid_file, "changed from {} to {} bytes while it was loaded; wait until it is written",
                *size, *size_after);
  }
  return loaded;
}

Result<FileBytes> FileBytes::map(int descriptor, std::size_t size) {
  if (size == 0) return FileBytes(nullptr, 0, LoadMode::mapped);  // mmap refuses an empty range
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED) {
    return fail(errno == ENOMEM ? ErrorCode::out_of_memory : ErrorCode::invalid_argument,
                "{} bytes can't be mapped: {}; try without mapping", size, reason(errno));
  }
  return FileBytes(static_cast<std::byte*>(address), size, LoadMode::mapped);
}

Result<FileBytes> FileBytes::read(int descriptor, std::size_t size) {
  auto* memory = static_cast<std::byte*>(::operator new(size, page_alignment, std::nothrow));
  if (memory == nullptr) {
    return fail(ErrorCode::out_of_memory, "{} bytes can't be allocated; try with mapping", size);
  }
  FileBytes whole(memory, size, LoadMode::read);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::read(descriptor, memory + done, std::min(size - done, read_chunk));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(ErrorCode::invalid_argument, "can't be read at byte {}: {}", done, reason(errno));
    if (got == 0) {
      return fail(ErrorCode::invalid_file, "ended at byte {} of {} while it was read; wait until it is written", done,
                  size);
    }
    done += static_cast<std::size_t>(got);
  }
  return whole;
}

FileBytes::FileBytes(FileBytes&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)), mode_(other.mode_) {}

FileBytes& FileBytes::operator=(FileBytes&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(mode_, other.mode_);
  return *this;
}

FileBytes::~FileBytes() {
  if (data_ == nullptr) return;
  if (mode_ == LoadMode::mapped) {
    ::munmap(data_, size_);
  } else {
    ::operator delete(data_, page_alignment);
  }
}

}  // namespace weft::models
