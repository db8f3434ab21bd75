// Control group limits and the thread count that follows from them.
#include "backends/cpu/cpu_quota.hpp"

#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <thread>

namespace weft::cpu {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> read_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  if (!file || !std::getline(file, line)) return std::nullopt;
  return line;
}

std::optional<double> number(const std::string& text) {
  std::istringstream stream(text);
  double value = 0;
  std::string rest;
  if (!(stream >> value) || (stream >> rest) || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// One limit file's meaning: cores, no limit, or not understood.
struct Limit {
  std::optional<double> cores;
  bool understood = true;
};

Limit ratio(const std::string& quota, const std::string& period) {
  const auto q = number(quota);
  const auto p = number(period);
  if (!q || !p || *p <= 0) return {std::nullopt, false};
  if (*q < 0) return {};
  return *q > 0 ? Limit{*q / *p, true} : Limit{std::nullopt, false};
}

Limit limit_of_v2(const std::string& line) {
  std::istringstream stream(line);
  std::string quota;
  std::string period;
  std::string rest;
  if (!(stream >> quota >> period) || (stream >> rest)) return {std::nullopt, false};
  if (quota == "max") return {};
  return ratio(quota, period);
}

class Reader {
 public:
  explicit Reader(fs::path root) : root_(std::move(root)) {}

  CpuQuota read() {
    std::ifstream groups(root_ / "proc/self/cgroup");
    std::string line;
    bool any = false;
    while (std::getline(groups, line)) {
      const std::size_t first = line.find(':');
      const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
      if (second == std::string::npos) continue;
      const std::string controllers = line.substr(first + 1, second - first - 1);
      visit(controllers, line.substr(second + 1));
      any = true;
    }
    if (!any) visit("", "/");
    return quota_;
  }

 private:
  void visit(const std::string& controllers, const std::string& group) {
    const fs::path top = root_ / "sys/fs/cgroup";
    if (controllers.empty()) {
      climb(top, group, [&](const fs::path& folder) { take_v2(folder); });
      return;
    }
    std::istringstream names(controllers);
    std::string name;
    bool has_cpu = false;
    while (std::getline(names, name, ',')) has_cpu = has_cpu || name == "cpu";
    if (!has_cpu) return;
    const fs::path joint = top / controllers;
    climb(fs::exists(joint) ? joint : top / "cpu", group, [&](const fs::path& folder) { take_v1(folder); });
  }

  /// From the group's folder up to `top`. Inside a container the group's own path may not exist below `top`.
  template <class Take>
  static void climb(const fs::path& top, const std::string& group, Take take) {
    fs::path inside = fs::path(group).relative_path().lexically_normal();
    if (!inside.empty() && *inside.begin() == "..") inside.clear();
    while (!inside.empty() && inside != ".") {
      take(top / inside);
      inside = inside.parent_path();
    }
    take(top);
  }

  void take_v2(const fs::path& folder) {
    const fs::path file = folder / "cpu.max";
    const auto line = read_line(file);
    if (line) take(limit_of_v2(*line), file, *line);
  }

  void take_v1(const fs::path& folder) {
    const fs::path file = folder / "cpu.cfs_quota_us";
    const auto quota = read_line(file);
    const auto period = read_line(folder / "cpu.cfs_period_us");
    if (quota && period) take(ratio(*quota, *period), file, *quota);
  }

  void take(const Limit& limit, const fs::path& file, const std::string& text) {
    if (!limit.understood) {
      quota_.note = fmt::format("{} holds \"{}\", which is no quota; ignored", file.string(), text.substr(0, 40));
    } else if (limit.cores) {
      quota_.cores = std::min(quota_.cores.value_or(*limit.cores), *limit.cores);
    }
  }

  fs::path root_;
  CpuQuota quota_;
};

}  // namespace

CpuQuota read_cpu_quota(const fs::path& root) { return Reader(root).read(); }

ThreadChoice choose_threads(std::int64_t asked, std::int64_t cores, const CpuQuota& quota) {
  if (asked > 0) return {asked, "as asked for", quota.note};
  const std::string plain = fmt::format("{} core{}", cores, cores == 1 ? "" : "s");
  if (!quota.cores || *quota.cores >= static_cast<double>(cores)) return {cores, plain, quota.note};
  const auto whole = std::max<std::int64_t>(1, static_cast<std::int64_t>(*quota.cores));
  return {whole, fmt::format("cgroup quota {:.1f} of {}", *quota.cores, plain), quota.note};
}

std::int64_t usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max<std::int64_t>(1, std::thread::hardware_concurrency());
}

}  // namespace weft::cpu
