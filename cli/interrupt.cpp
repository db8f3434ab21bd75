// The signal handler and its flag.
#include "cli/interrupt.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>

namespace weft::cli {
namespace {

constexpr int exit_by_interrupt = 130;  // 128 + SIGINT, as shells expect
std::atomic<int> interrupts{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

void on_interrupt(int /*signal*/) {
  if (interrupts.fetch_add(1) > 0) _exit(exit_by_interrupt);
}

}  // namespace

void catch_interrupts() { std::signal(SIGINT, on_interrupt); }
bool interrupted() { return interrupts.load() > 0; }

}  // namespace weft::cli
