// Text of a plan's report: which backend, kernel and rule each node got, and why not another.
#pragma once

#include <string>

#include "graph/plan.hpp"

namespace weft::cli {

[[nodiscard]] std::string explain_text(const graph::PlanReport& report, Phase phase);
/// One line: "cpu: avx512-vnni, 2 threads; 3 segments, 0 copies".
[[nodiscard]] std::string path_line(const graph::PlanReport& report,
                                    std::span<const std::shared_ptr<Backend>> backends);
/// Time by kernel, most first: calls, total ms, share.
[[nodiscard]] std::string profile_text(const graph::PlanReport& report, std::span<const graph::NodeTime> times,
                                       double wall_seconds);

}  // namespace weft::cli
