// One line of progress on stderr, on a terminal only.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "core/result.hpp"

namespace weft::cli {

/// Prints "37 %  blk.3.ffn_down.weight  210 MiB/s" at most ten times a second, and wipes the line at the end.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Errors: cancelled, after Ctrl-C (catch_interrupts must have been called).
  [[nodiscard]] Status show(std::string_view what, std::uint64_t bytes_done, std::uint64_t bytes_in_all);
  [[nodiscard]] double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_;
};

}  // namespace weft::cli
