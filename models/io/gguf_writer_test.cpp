// The writer: the same bytes each time, refused input, and files that are replaced whole or not at all.
#include "models/io/gguf_writer.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "models/io/gguf_test_files.hpp"

namespace weft::models {
namespace {

using test::Bytes;

class GgufWriting : public ::testing::Test {
 protected:
  static GgufWriter small_writer() {
    GgufWriter writer;
    writer.set("general.architecture", std::string("llama"));
    EXPECT_TRUE(writer.add_tensor({"t", DType::f16, {3, 1}}, test::counted_bytes(6)));
    return writer;
  }
  void expect_only(const std::vector<std::string>& names) {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      found.push_back(entry.path().filename().string());
    }
    std::ranges::sort(found);
    EXPECT_EQ(found, names) << "no temporary file may stay";
  }
  static void expect_invalid(const Status& status, std::string_view part) {
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::invalid_argument);
    EXPECT_NE(status.error().message.find(part), std::string::npos) << status.error().message;
  }

  test::TemporaryFolder folder_;
};

TEST_F(GgufWriting, BytesAreThoseOfTheFormat) {
  ASSERT_TRUE(small_writer().write(folder_ / "m.gguf"));
  test::RawBytes raw;
  raw.header(1, 1).text("general.architecture").u32(8).text("llama");
  raw.record("t", {1, 3}, 1, 0).pad().data(6).pad();
  EXPECT_EQ(test::read_bytes(folder_ / "m.gguf"), raw.bytes());
}

TEST_F(GgufWriting, TheSameCallsGiveTheSameBytes) {
  ASSERT_TRUE(small_writer().write(folder_ / "a.gguf"));
  ASSERT_TRUE(small_writer().write(folder_ / "b.gguf"));
  EXPECT_EQ(test::read_bytes(folder_ / "a.gguf"), test::read_bytes(folder_ / "b.gguf"));
  expect_only({"a.gguf", "b.gguf"});
}

TEST_F(GgufWriting, SetReplacesInPlace) {
  GgufWriter writer;
  writer.set("a", std::uint8_t{1});
  writer.set("b", std::uint8_t{2});
  writer.set("a", std::string("new"));
  ASSERT_TRUE(writer.write(folder_ / "m.gguf"));
  const auto file = GgufFile::open(folder_ / "m.gguf");
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_EQ((*file)->metadata().size(), 2U);
  EXPECT_EQ((*file)->metadata()[0].first, "a");
  EXPECT_EQ((*file)->text("a").value(), "new");
}

TEST_F(GgufWriting, FillMakesTheDataWhileWriting) {
  GgufWriter writer;
  int calls = 0;
  const auto fill = [&calls](std::span<std::byte> out) -> Status {
    ++calls;
    std::ranges::fill(out, std::byte{0x5A});
    return {};
  };
  ASSERT_TRUE(writer.add_tensor({"q", DType::q4_k, {7, 256}}, fill));
  ASSERT_TRUE(writer.add_tensor({"mxfp4", 39U, {1, 32}}, fill));
  EXPECT_EQ(calls, 0);
  ASSERT_TRUE(writer.write(folder_ / "m.gguf"));
  EXPECT_EQ(calls, 2);
  const auto file = GgufFile::open(folder_ / "m.gguf");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ((*file)->data(*(*file)->find_tensor("q")).back(), std::byte{0x5A});
  EXPECT_EQ((*file)->find_tensor("mxfp4")->bytes, 17U);
}

TEST_F(GgufWriting, FailedFillLeavesTheEarlierFile) {
  test::write_bytes(folder_ / "m.gguf", Bytes(3));
  GgufWriter writer;
  const auto fill = [](std::span<std::byte>) -> Status { return fail(ErrorCode::cancelled, "stopped"); };
  ASSERT_TRUE(writer.add_tensor({"t", DType::f32, {1}}, fill));
  const auto written = writer.write(folder_ / "m.gguf");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::cancelled);
  EXPECT_EQ(written.error().message, "tensor 't': stopped");
  EXPECT_EQ(test::read_bytes(folder_ / "m.gguf"), Bytes(3));
  expect_only({"m.gguf"});
}

TEST_F(GgufWriting, InputsAreNeverOverwritten) {
  const auto input = folder_ / "input.gguf";
  test::write_bytes(input, test::counted_bytes(100));
  std::filesystem::create_symlink(input, folder_ / "symbolic.gguf");
  std::filesystem::create_hard_link(input, folder_ / "hard.gguf");
  const std::vector<std::filesystem::path> inputs{folder_ / "absent.gguf", input};
  const auto dotted = folder_.path() / "." / "input.gguf";
  for (const auto& target : {input, folder_ / "symbolic.gguf", folder_ / "hard.gguf", dotted}) {
    expect_invalid(small_writer().write(target, inputs), "is the input file");
    EXPECT_EQ(test::read_bytes(input), test::counted_bytes(100));
  }
  expect_only({"hard.gguf", "input.gguf", "symbolic.gguf"});
  EXPECT_TRUE(small_writer().write(folder_ / "other.gguf", inputs));
}

TEST_F(GgufWriting, TargetsThatCantBeWritten) {
  expect_invalid(small_writer().write(folder_.path()), "is a folder");
  expect_invalid(small_writer().write(folder_ / "absent/m.gguf"), "can't be written");
  expect_invalid(small_writer().write(""), "can't be");
  std::filesystem::create_symlink("/dev/null", folder_ / "device.gguf");
  expect_invalid(small_writer().write(folder_ / "device.gguf"), "no regular file");
  std::filesystem::remove(folder_ / "device.gguf");
  expect_only({});
}

/// While it lives, a write beyond `bytes` of a file fails as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limited{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limited);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_F(GgufWriting, FullDiskLeavesTheEarlierFile) {
  test::write_bytes(folder_ / "m.gguf", Bytes(3));
  GgufWriter writer;
  ASSERT_TRUE(writer.add_tensor({"t", DType::f32, {4096}}, Bytes(16384)));
  {
    const FileSizeLimit limit(8192);
    expect_invalid(writer.write(folder_ / "m.gguf"), "m.gguf: can't be written");
  }
  EXPECT_EQ(test::read_bytes(folder_ / "m.gguf"), Bytes(3));
  expect_only({"m.gguf"});
}

TEST_F(GgufWriting, TensorErrors) {
  GgufWriter writer = small_writer();
  expect_invalid(writer.add_tensor({"t", DType::f32, {0}}, Bytes{}), "there already");
  expect_invalid(writer.add_tensor({"u", DType::f32, {2}}, Bytes(7)), "7 bytes of data given, 8 wanted");
  expect_invalid(writer.add_tensor({"u", DType::q4_0, {2, 33}}, Bytes{}), "multiple of 32");
  expect_invalid(writer.add_tensor({"u", DType::none, {2}}, Bytes{}), "can't be stored");
  expect_invalid(writer.add_tensor({"u", 31U, {32}}, Bytes{}), "re-convert");
  expect_invalid(writer.add_tensor({"u", 43U, {32}}, Bytes{}), "unknown");
  expect_invalid(writer.add_tensor({"u", DType::f32, {1, 1, 1, 1, 1}}, Bytes(4)), "5 dimensions");
  expect_invalid(writer.add_tensor({"u", DType::f32, {-1}}, Bytes{}), "negative");
  expect_invalid(writer.add_tensor({std::string(64, 'u'), DType::f32, {0}}, Bytes{}), "64 bytes");
  expect_invalid(writer.add_tensor({std::string(1, '\0'), DType::f32, {0}}, Bytes{}), "NUL");
  ASSERT_TRUE(writer.write(folder_ / "m.gguf"));
  EXPECT_EQ((*GgufFile::open(folder_ / "m.gguf"))->tensors().size(), 1U) << "refused tensors leave no trace";
}

TEST_F(GgufWriting, MetadataErrors) {
  const auto expect_bad_pair = [&](std::string key, GgufStoredValue value, std::string_view part) {
    GgufWriter writer;
    writer.set(std::move(key), std::move(value));
    expect_invalid(writer.write(folder_ / "m.gguf"), part);
  };
  expect_bad_pair("", std::uint8_t{1}, "0 bytes");
  expect_bad_pair(std::string(65536, 'k'), std::uint8_t{1}, "65536 bytes");
  expect_bad_pair(std::string("a\0", 2), std::uint8_t{1}, "NUL");
  expect_bad_pair("k", GgufStoredArray(std::monostate{}), "array of arrays");
  expect_bad_pair("general.alignment", std::uint32_t{3}, "power of two");
  expect_bad_pair("general.alignment", std::uint64_t{32}, "uint32");
  expect_only({});
}

}  // namespace
}  // namespace weft::models
