// How much processor time the control groups of a process allow it, read from a file system root (which tests fake).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace weft::cpu {

struct CpuQuota {
  std::optional<double> cores;  ///< the strictest limit of the group and its parents; empty = no limit
  std::string note;             ///< what could not be read; empty when all was well
};

/// Looks below `root` at proc/self/cgroup and sys/fs/cgroup: version 2 (cpu.max) and version 1 (cpu.cfs_quota_us,
/// cpu.cfs_period_us), from the process's group up to the top.
[[nodiscard]] CpuQuota read_cpu_quota(const std::filesystem::path& root);

/// How many threads to run, and why.
struct ThreadChoice {
  std::int64_t threads = 1;
  std::string reason;  ///< "cgroup quota 2.0 of 8 cores", "8 cores", "as asked for"
  std::string note;    ///< of the quota
};
/// `asked` wins; else the cores that the process may run on, limited by the whole cores of the quota, at least one.
[[nodiscard]] ThreadChoice choose_threads(std::int64_t asked, std::int64_t cores, const CpuQuota& quota);

/// Cores in the affinity mask of this process.
[[nodiscard]] std::int64_t usable_cores();

}  // namespace weft::cpu
