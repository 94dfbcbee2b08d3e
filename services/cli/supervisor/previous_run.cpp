#include "services/cli/supervisor/previous_run.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <vector>

#include "common/wire/file_handle.hpp"
#include "services/cli/supervisor/supervisor.hpp"

namespace penstock::cli {
namespace {

struct Leftover {
  std::string name;
  std::int64_t pid = 0;
  wire::FileHandle process;  ///< a pidfd: readable when the process has ended
};

/// The kernel's name of a process, cut at 15 characters; empty when it is gone.
std::string process_name(std::int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
  std::string name;
  std::getline(file, name);
  return name;
}

std::vector<Leftover> leftovers(const PreviousRunOptions& options) {
  std::vector<Leftover> found;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(options.run, failed)) {
    if (entry.path().extension() != ".json") continue;
    const auto address = read_address(entry.path());
    if (!address || address->pid <= 1) continue;
    // The descriptor first: it keeps its process even if the number is given to another.
    wire::FileHandle process(static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(address->pid), 0)));
    if (!process.is_open() || !process_name(address->pid).starts_with(options.programs)) continue;
    found.push_back({address->name, address->pid, std::move(process)});
  }
  return found;
}

enum class Ended { yes, no, interrupted };

Ended wait_for_end(const Leftover& service, SteadyTime until, int signals) {
  // poll ignores a negative descriptor.
  std::array<pollfd, 2> watched = {{{.fd = service.process.get(), .events = POLLIN, .revents = 0},
                                    {.fd = signals, .events = POLLIN, .revents = 0}}};
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    const int ready = poll(watched.data(), watched.size(), static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (ready < 0) continue;
    if (watched[0].revents != 0) return Ended::yes;
    return ready == 0 ? Ended::no : Ended::interrupted;
  }
}

}  // namespace

Status wait_for_previous_run(const PreviousRunOptions& options) {
  const SteadyTime until = std::chrono::steady_clock::now() + options.patience;
  for (const Leftover& service : leftovers(options)) {
    const std::string who = service.name + " (pid " + std::to_string(service.pid) + ")";
    if (options.say) options.say("waiting for " + who + " of the previous run to drain");
    const Ended ended = wait_for_end(service, until, options.signals);
    if (ended == Ended::interrupted) return Error{.code = ErrorCode::cancelled, .what = "interrupted"};
    if (ended == Ended::no)
      return Error{.code = ErrorCode::conflict,
                   .what = who + " of the previous run does not end",
                   .hint = "end it, or choose another folder with --data"};
  }
  return {};
}

}  // namespace penstock::cli
