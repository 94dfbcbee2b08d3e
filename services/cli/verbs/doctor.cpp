#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "common/groth16/cpu_quota.hpp"
#include "cuda/groth16/cuda_device.hpp"
#include "services/cli/cluster.hpp"
#include "services/cli/verbs/verbs.hpp"

namespace penstock::cli {
namespace {

enum class Verdict { ok, warning, problem };
constexpr std::array<const char*, 3> verdict_names = {"ok", "warning", "problem"};

struct Finding {
  std::string name;
  Verdict verdict = Verdict::ok;
  std::string what;
};

constexpr std::uint64_t wanted_shared_bytes = std::uint64_t{512} << 20;  // the default arena

Finding cores() {
  const int allowed = groth16::available_cores();
  return {"cores", allowed > 1 ? Verdict::ok : Verdict::warning, fmt::format("{} usable", allowed)};
}

Finding memory() {
  const auto bytes =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return {"memory", bytes > (std::uint64_t{2} << 30) ? Verdict::ok : Verdict::warning, size_text(bytes)};
}

Finding shared_memory() {
  struct statvfs facts {};
  if (statvfs("/dev/shm", &facts) != 0) return {"shared memory", Verdict::warning, "there is no /dev/shm"};
  const std::uint64_t free = static_cast<std::uint64_t>(facts.f_bavail) * facts.f_frsize;
  const bool enough = free >= wanted_shared_bytes;
  return {
      "shared memory", enough ? Verdict::ok : Verdict::warning,
      fmt::format("{} free in /dev/shm{}", size_text(free), enough ? "" : "; the default arena is 512 MiB")};
}

Finding locked_memory() {
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  const bool unlimited = limit.rlim_cur == RLIM_INFINITY;
  return {"locked memory", Verdict::ok, unlimited ? "unlimited" : size_text(limit.rlim_cur)};
}

Finding devices() {
  const auto found = cuda::visible_devices();
  if (!found) return {"CUDA", Verdict::ok, found.error().what + "; the host device proves"};
  std::string names;
  for (const auto& device : *found)
    names += fmt::format("{}cuda:{} {}", names.empty() ? "" : ", ", device.ordinal, device.name);
  return {"CUDA", Verdict::ok, names};
}

Finding programs(const Context& context) {
  std::string missing;
  for (const char* name : {"penstock-queue", "penstock-synthesis", "penstock-gpu", "penstock-witness-runner"})
    if (access((context.environment().program_folder / name).c_str(), X_OK) != 0)
      missing += (missing.empty() ? "" : ", ") + std::string(name);
  if (missing.empty()) return {"services", Verdict::ok, "beside this program"};
  return {"services", Verdict::problem, "not beside this program: " + missing};
}

// The search path as the shell's `command -v` walks it; no shell is started.
Finding compiler() {
  for (const char* folder : {"/usr/bin", "/usr/local/bin", "/bin"})
    for (const char* name : {"cc", "gcc", "clang"})
      if (access((std::filesystem::path(folder) / name).c_str(), X_OK) == 0)
        return {"C compiler", Verdict::ok, fmt::format("{}/{}", folder, name)};
  return {"C compiler", Verdict::warning, "none: witness programs are interpreted, several times slower"};
}

Finding key_memory(const Context& context) {
  const auto folder = key_check_folder(context.environment());
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (!failed) std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failed);
  if (failed || access(folder.c_str(), W_OK) != 0)
    return {"checked keys", Verdict::warning,
            folder.string() + " cannot be written: every key is checked each time"};
  return {"checked keys", Verdict::ok, folder.string()};
}

Finding queue(Context& context) {
  constexpr std::chrono::seconds patience{3};
  QueueClient client(context.environment().url, context.environment().api_key, patience);
  const auto answer = client.get_text("/readyz");
  if (!answer) return {"queue", Verdict::ok, "none runs at " + client.url()};
  if (answer->first == 200) return {"queue", Verdict::ok, "ready at " + client.url()};
  return {"queue", Verdict::warning, "not ready at " + client.url() + ": " + answer->second};
}

Result<ExitStatus> run(Context& context) {
  const std::vector<Finding> findings = {
      cores(),           memory(),   shared_memory(),     locked_memory(), devices(),
      programs(context), compiler(), key_memory(context), queue(context)};
  bool problem = false;
  nlohmann::ordered_json object{{"ok", true}};
  for (const auto& finding : findings) {
    const char* verdict = verdict_names[static_cast<std::size_t>(finding.verdict)];
    problem = problem || finding.verdict == Verdict::problem;
    context.output().line(fmt::format("{:<8} {:<14} {}", verdict, finding.name, finding.what));
    object["findings"].push_back({{"name", finding.name}, {"verdict", verdict}, {"what", finding.what}});
  }
  object["ok"] = !problem;
  context.output().object(object);
  return problem ? ExitStatus::refused : ExitStatus::done;
}

}  // namespace

void add_doctor(CLI::App& app, Context& context) {
  auto* verb = add_verb(app, "doctor", "Look for what would keep this machine from proving, or slow it down",
                        "  penstock doctor");
  add_cluster_options(verb, context);
  context.on(verb, run);
}

}  // namespace penstock::cli
