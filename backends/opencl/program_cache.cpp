// Entries: magic, version, length and text of the key, length of the binary, checksum of all of that and the binary,
// the binary. The key's text is stored, so that an entry under a wrong name is seen.
#include "backends/opencl/program_cache.hpp"

#include <fmt/core.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

namespace weft::opencl {
namespace {

constexpr std::uint32_t format_version = 1;
constexpr std::array<char, 8> magic{'w', 'e', 'f', 't', 'c', 'l', 'p', '\n'};

struct Header {
  std::array<char, 8> magic_bytes = magic;
  std::uint32_t version = format_version;
  std::uint32_t key_bytes = 0;
  std::uint64_t binary_bytes = 0;
  std::uint64_t checksum = 0;  ///< over key and binary
};
static_assert(sizeof(Header) == 32);

std::uint64_t checksum(std::string_view key, std::span<const unsigned char> binary) {
  return XXH3_64bits_withSeed(binary.data(), binary.size(), XXH3_64bits(key.data(), key.size()));
}

std::optional<std::vector<char>> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::vector<char>(std::istreambuf_iterator<char>(file), {});
}

/// The binary of a whole entry for `key`; why not, otherwise.
struct Unpacked {
  std::optional<std::vector<unsigned char>> binary;
  std::string_view fault;
};
Unpacked unpack(std::span<const char> entry, std::string_view key) {
  Header header;
  if (entry.size() < sizeof header) return {std::nullopt, "is cut short"};
  std::memcpy(&header, entry.data(), sizeof header);
  if (header.magic_bytes != magic) return {std::nullopt, "is no program cache entry"};
  if (header.version != format_version) return {std::nullopt, "is of another version of weft"};
  const std::size_t rest = entry.size() - sizeof header;
  if (header.key_bytes > rest || header.binary_bytes != rest - header.key_bytes) return {std::nullopt, "is cut short"};
  const std::string_view stored(entry.data() + sizeof header, header.key_bytes);
  const auto* begin = reinterpret_cast<const unsigned char*>(entry.data()) + sizeof header + header.key_bytes;
  std::vector<unsigned char> binary(begin, begin + header.binary_bytes);
  if (checksum(stored, binary) != header.checksum) return {std::nullopt, "is damaged"};
  if (stored != key) return {std::nullopt, "is of another program, device or driver"};
  return {std::move(binary), {}};
}

bool write_file(const std::filesystem::path& path, const Header& header, std::string_view key,
                std::span<const unsigned char> binary) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(&header), sizeof header);
  file.write(key.data(), static_cast<std::streamsize>(key.size()));
  file.write(reinterpret_cast<const char*>(binary.data()), static_cast<std::streamsize>(binary.size()));
  file.close();
  return !file.fail();
}

}  // namespace

struct ProgramCache::State {
  Warn warn;
  std::atomic<bool> warned = false;
  std::atomic<std::uint64_t> temporaries = 0;
};

ProgramCache::ProgramCache(std::filesystem::path folder, BuildIdentity identity, Warn warn)
    : folder_(std::move(folder)), identity_(std::move(identity)), state_(std::make_shared<State>()) {
  state_->warn = std::move(warn);
}

void ProgramCache::warn_once(std::string_view line) const {
  if (!state_->warned.exchange(true) && state_->warn) state_->warn(line);
}

std::string ProgramCache::key_text(std::string_view source, std::string_view options) const {
  const XXH128_hash_t hash = XXH3_128bits(source.data(), source.size());
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{:016x}{:016x} {}\n", identity_.platform, identity_.platform_version,
                     identity_.device, identity_.device_version, identity_.driver, options, hash.high64, hash.low64,
                     source.size());
}

std::filesystem::path ProgramCache::entry_path(std::string_view source, std::string_view options) const {
  const std::string key = key_text(source, options);
  const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
  return folder_ / fmt::format("{:016x}{:016x}.clbin", hash.high64, hash.low64);
}

std::optional<std::vector<unsigned char>> ProgramCache::load(std::string_view source, std::string_view options) const {
  if (folder_.empty()) return std::nullopt;
  const std::filesystem::path path = entry_path(source, options);
  const auto entry = read_file(path);
  if (!entry) return std::nullopt;
  Unpacked unpacked = unpack(*entry, key_text(source, options));
  if (!unpacked.binary) warn_once(fmt::format("{} {}; it is built again", path.string(), unpacked.fault));
  return std::move(unpacked.binary);
}

void ProgramCache::store(std::string_view source, std::string_view options,
                         std::span<const unsigned char> binary) const {
  if (folder_.empty()) return;
  const std::filesystem::path path = entry_path(source, options);
  std::error_code fault;
  std::filesystem::create_directories(folder_, fault);
  const std::string key = key_text(source, options);
  Header header;
  header.key_bytes = static_cast<std::uint32_t>(key.size());
  header.binary_bytes = binary.size();
  header.checksum = checksum(key, binary);
  std::filesystem::path temporary = path;
  // Differs among processes, among caches of a process, and among threads of a cache.
  temporary += fmt::format(".{}.{:x}.{}.tmp", getpid(), reinterpret_cast<std::uintptr_t>(state_.get()),
                           state_->temporaries.fetch_add(1));
  bool written = write_file(temporary, header, key, binary);
  if (written) {
    std::filesystem::rename(temporary, path, fault);
    written = !fault;
  }
  if (written) return;
  std::filesystem::remove(temporary, fault);
  warn_once(fmt::format("no OpenCL programs are kept: {} can't be written", folder_.string()));
}

void ProgramCache::report_refused(std::string_view source, std::string_view options) const {
  warn_once(fmt::format("{} was refused by the driver; it is built again", entry_path(source, options).string()));
}

}  // namespace weft::opencl
