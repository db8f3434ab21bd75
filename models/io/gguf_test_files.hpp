// What the tests of this folder share: a temporary folder, file bytes, and raw GGUF bytes that no writer would make.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "models/io/gguf.hpp"

namespace weft::models::test {

using Bytes = std::vector<std::byte>;

/// A new empty folder, removed with all in it at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "weft-test-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline Bytes read_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  Bytes bytes(text.size());
  std::ranges::transform(text, bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
  return bytes;
}

inline void write_bytes(const std::filesystem::path& path, const Bytes& bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  ASSERT_TRUE(out.flush().good()) << path;
}

/// Bytes 0, 1, 2 … 255, 0, … from `first` on.
inline Bytes counted_bytes(std::size_t count, std::size_t first = 0) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>((first + i) & 0xFF);
  return bytes;
}

/// Raw fields, one after the other.
class RawBytes {
 public:
  template <class T>
  requires std::is_arithmetic_v<T> RawBytes& put(T value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
    return *this;
  }
  RawBytes& u32(std::uint32_t value) { return put(value); }
  RawBytes& u64(std::uint64_t value) { return put(value); }
  RawBytes& letters(std::string_view text) {
    for (const char c : text) put(c);
    return *this;
  }
  RawBytes& text(std::string_view text) { return u64(text.size()).letters(text); }
  RawBytes& header(std::uint64_t tensors, std::uint64_t pairs, std::uint32_t version = 3) {
    return letters("GGUF").u32(version).u64(tensors).u64(pairs);
  }
  /// A tensor record, dimensions innermost first as the file has them.
  RawBytes& record(std::string_view name, const std::vector<std::uint64_t>& stored_dims, std::uint32_t type,
                   std::uint64_t offset) {
    text(name).u32(static_cast<std::uint32_t>(stored_dims.size()));
    for (const std::uint64_t dim : stored_dims) u64(dim);
    return u32(type).u64(offset);
  }
  RawBytes& pad(std::size_t alignment = 32) {
    while (bytes_.size() % alignment != 0) put('\0');
    return *this;
  }
  RawBytes& data(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) put(static_cast<std::uint8_t>(i & 0xFF));
    return *this;
  }
  [[nodiscard]] const Bytes& bytes() const { return bytes_; }

 private:
  Bytes bytes_;
};

/// A test with a folder of its own that opens bytes as files.
class GgufFiles : public ::testing::Test {
 protected:
  Result<std::shared_ptr<const GgufFile>> open(const Bytes& bytes, LoadMode mode = LoadMode::mapped) {
    const auto path = folder_ / "file.gguf";
    std::filesystem::remove(path);  // a new file: an earlier one may still be mapped
    write_bytes(path, bytes);
    return GgufFile::open(path, mode);
  }
  Result<std::shared_ptr<const GgufFile>> open(const RawBytes& raw) { return open(raw.bytes()); }

  /// Expects that the bytes are refused with one line that names the file and contains every part.
  void expect_refused(const RawBytes& raw, ErrorCode code, const std::vector<std::string>& parts) {
    const auto opened = open(raw);
    ASSERT_FALSE(opened) << "loaded, but this was wanted: " << parts.front();
    EXPECT_EQ(opened.error().code, code) << opened.error().message;
    const std::string& message = opened.error().message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_NE(message.find("file.gguf"), std::string::npos) << message;
    for (const std::string& part : parts) EXPECT_NE(message.find(part), std::string::npos) << message << " / " << part;
  }

  TemporaryFolder folder_;
};

}  // namespace weft::models::test
