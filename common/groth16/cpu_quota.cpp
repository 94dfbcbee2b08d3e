#include "common/groth16/cpu_quota.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

namespace penstock::groth16 {
namespace {

std::optional<long long> number_at(std::string_view text) {
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

std::optional<int> cores_of(long long quota, long long period) {
  if (quota <= 0 || period <= 0) return std::nullopt;
  return static_cast<int>(std::clamp<long long>((quota + period - 1) / period, 1, 4096));
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// The folder of this process's own cgroup, per hierarchy: "" for v2, "cpu,cpuacct" and the like for v1.
std::string own_group(bool (*is_hierarchy)(std::string_view controllers)) {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    if (is_hierarchy(std::string_view(line).substr(first + 1, second - first - 1)))
      return line.substr(second + 1);
  }
  return {};
}

/// The tightest quota from the process's own group up to the root: a parent's limit binds its children.
template <class Read>
std::optional<int> tightest(const std::string& root, std::string group, Read read) {
  std::optional<int> cores;
  while (true) {
    if (const std::optional<int> here = read(root + group)) cores = std::min(cores.value_or(*here), *here);
    const auto slash = group.rfind('/');
    if (group.empty() || slash == std::string::npos) return cores;
    group.resize(slash);
  }
}

std::optional<int> quota_v2() {
  const auto is_v2 = [](std::string_view controllers) { return controllers.empty(); };
  return tightest("/sys/fs/cgroup", own_group(is_v2), [](const std::string& folder) {
    return cores_from_cpu_max(first_line(folder + "/cpu.max"));
  });
}

std::optional<int> quota_v1() {
  const auto is_cpu = [](std::string_view controllers) {
    return controllers == "cpu" || controllers.starts_with("cpu,") || controllers.ends_with(",cpu");
  };
  return tightest("/sys/fs/cgroup/cpu", own_group(is_cpu),
                  [](const std::string& folder) -> std::optional<int> {
                    const auto quota = number_at(first_line(folder + "/cpu.cfs_quota_us"));
                    const auto period = number_at(first_line(folder + "/cpu.cfs_period_us"));
                    return quota && period ? cores_of(*quota, *period) : std::nullopt;
                  });
}

int affinity_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(
      std::thread::hardware_concurrency());  // more than 1,024 cores: the fixed mask is too small
}

}  // namespace

std::optional<int> cores_from_cpu_max(std::string_view text) {
  const auto space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto quota = number_at(text.substr(0, space));
  const auto period = number_at(text.substr(space + 1));
  return quota && period ? cores_of(*quota, *period) : std::nullopt;
}

int available_cores() {
  int cores = std::max(affinity_cores(), 1);
  for (const std::optional<int> quota : {quota_v2(), quota_v1()})
    if (quota) cores = std::min(cores, *quota);
  return cores;
}

}  // namespace penstock::groth16
