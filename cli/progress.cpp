// Rate, share and the check for Ctrl-C.
#include "cli/progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>

#include "cli/interrupt.hpp"

namespace weft::cli {

ProgressLine::ProgressLine() : terminal_(isatty(fileno(stderr)) != 0) {}

ProgressLine::~ProgressLine() {
  if (terminal_) fmt::print(stderr, "\r\033[K");
}

double ProgressLine::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

Status ProgressLine::show(std::string_view what, std::uint64_t bytes_done, std::uint64_t bytes_in_all) {
  if (interrupted()) return fail(ErrorCode::cancelled, "stopped at {}; nothing was written", what);
  constexpr std::chrono::milliseconds pause{100};
  constexpr double mebibyte = 1024.0 * 1024.0;
  const Clock::time_point now = Clock::now();
  if (!terminal_ || now - shown_ < pause) return {};
  shown_ = now;
  const double share = bytes_in_all > 0 ? static_cast<double>(bytes_done) / static_cast<double>(bytes_in_all) : 1.0;
  fmt::print(stderr, "\r\033[K{:3.0f} %  {}  {:.0f} MiB/s", 100 * share, what,
             static_cast<double>(bytes_done) / mebibyte / seconds());
  return {};
}

}  // namespace weft::cli
