// Built programs on disk. An entry is used only if everything that it was built from is the same and its checksum
// holds; anything else is a miss. No trouble with the folder or an entry is ever an error.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::opencl {

/// What a binary depends on besides its source and options.
struct BuildIdentity {
  std::string platform, platform_version, device, device_version, driver;
};

/// Thread-safe and safe among processes: entries are written under another name and renamed.
class ProgramCache {
 public:
  using Warn = std::function<void(std::string_view line)>;
  /// An empty folder means no cache. `warn` is called at most once.
  ProgramCache(std::filesystem::path folder, BuildIdentity identity, Warn warn);

  /// The binary built from this text and these options, if it is there and whole.
  [[nodiscard]] std::optional<std::vector<unsigned char>> load(std::string_view source, std::string_view options) const;
  void store(std::string_view source, std::string_view options, std::span<const unsigned char> binary) const;
  /// Says that a whole entry was refused by the driver.
  void report_refused(std::string_view source, std::string_view options) const;
  /// Where the entry is kept; for tests.
  [[nodiscard]] std::filesystem::path entry_path(std::string_view source, std::string_view options) const;

 private:
  struct State;
  [[nodiscard]] std::string key_text(std::string_view source, std::string_view options) const;
  void warn_once(std::string_view line) const;

  std::filesystem::path folder_;
  BuildIdentity identity_;
  std::shared_ptr<State> state_;
};

}  // namespace weft::opencl
