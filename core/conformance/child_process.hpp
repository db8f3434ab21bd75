// A program started to run some samples, and what it says on its own pipe.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/conformance/event_stream.hpp"
#include "core/result.hpp"

namespace weft::conformance {

/// Where a child writes its events: beside standard output, which a plug-in or a driver may print to.
inline constexpr int event_descriptor = 3;

/// Killed and reaped when the object goes.
class ChildProcess {
 public:
  /// Starts `command` (path and arguments) with its standard output on this process's standard error.
  /// Errors: internal, naming the command and the system's reason.
  [[nodiscard]] static Result<ChildProcess> start(const std::vector<std::string>& command);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  [[nodiscard]] int descriptor() const { return pipe_; }
  /// Reads what there is without waiting; false once the child has closed its end.
  [[nodiscard]] bool read_some();
  /// The next whole line that was read.
  [[nodiscard]] std::optional<std::string> next_line();
  [[nodiscard]] std::chrono::steady_clock::time_point last_heard() const { return last_heard_; }

  /// Ends it, unless it is at its end already, and waits for that. Empty for exit code 0, else how it ended: "was ended
  /// by signal 11 (Segmentation fault)".
  [[nodiscard]] std::string end();

 private:
  ChildProcess(pid_t process, int pipe) : process_(process), pipe_(pipe) {}
  void release();

  pid_t process_ = -1;
  int pipe_ = -1;
  std::string text_;
  std::chrono::steady_clock::time_point last_heard_ = std::chrono::steady_clock::now();
};

}  // namespace weft::conformance
