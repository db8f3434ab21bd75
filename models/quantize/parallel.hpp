// Independent items of work over a few threads.
#pragma once

#include <cstddef>
#include <functional>

namespace weft::models {

/// The processors that this process may use; at least 1.
[[nodiscard]] int usable_threads();

/// Calls `job(worker, item)` once for each item of 0 … count - 1, on up to `threads` workers (numbered from 0), and
/// returns when all are done. Which worker takes which item differs from run to run: results must not depend on it.
/// The job must not throw. With fewer threads to be had, fewer are used.
void parallel_for(int threads, std::size_t count, const std::function<void(std::size_t worker, std::size_t item)>& job);

}  // namespace weft::models
