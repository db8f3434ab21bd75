// posix_spawn and a pipe: a fresh process, so that nothing of a parent's threads or devices is inherited half.
#include "core/conformance/child_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace weft::conformance {
namespace {

struct FileActions {
  posix_spawn_file_actions_t actions{};
  FileActions() { posix_spawn_file_actions_init(&actions); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
};

std::string ending(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  const int code = WEXITSTATUS(status);
  return code == 0 ? "" : fmt::format("left with exit code {}", code);
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  // Both ends close at exec, so that no other child keeps this one's pipe open.
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail(ErrorCode::internal, "conformance: no pipe for a child process: {}", std::strerror(errno));
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  FileActions files;
  posix_spawn_file_actions_adddup2(&files.actions, STDERR_FILENO, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files.actions, ends[1], event_descriptor);
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t process = -1;
  const int error = posix_spawn(&process, arguments[0], &files.actions, nullptr, arguments.data(), environ);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    return fail(ErrorCode::internal, "conformance: {} can't be started: {}", command.front(), std::strerror(error));
  }
  return ChildProcess(process, ends[0]);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      pipe_(std::exchange(other.pipe_, -1)),
      text_(std::move(other.text_)),
      last_heard_(other.last_heard_) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this == &other) return *this;
  release();
  process_ = std::exchange(other.process_, -1);
  pipe_ = std::exchange(other.pipe_, -1);
  text_ = std::move(other.text_);
  last_heard_ = other.last_heard_;
  return *this;
}

ChildProcess::~ChildProcess() { release(); }

void ChildProcess::release() {
  if (pipe_ >= 0) close(pipe_);
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

bool ChildProcess::read_some() {
  std::array<char, 65536> buffer{};
  while (true) {
    const ssize_t count = read(pipe_, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN;
    if (count == 0) return false;
    text_.append(buffer.data(), static_cast<std::size_t>(count));
    last_heard_ = std::chrono::steady_clock::now();
  }
}

std::optional<std::string> ChildProcess::next_line() {
  const std::size_t end = text_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = text_.substr(0, end);
  text_.erase(0, end + 1);
  return line;
}

std::string ChildProcess::end() {
  ::kill(process_, SIGKILL);  // no more than a nudge to one that is leaving: its code stays
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return ending(status);
}

}  // namespace weft::conformance
