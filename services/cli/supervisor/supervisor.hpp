// Keeps a set of processes alive: starts them in order, waits until each says it is ready, starts again what
// dies (with exponential back-off), ends them in order.
// Ownership: owns the processes. Threads: run() on the thread that lives longest (the main thread); drain()
// from any. Errors: a process that cannot be started at all ends run() with the last line of its log;
// cancelled when a second signal came while it drained.
#pragma once

#include <signal.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/clock.hpp"
#include "services/cli/supervisor/child_process.hpp"

namespace penstock::cli {

/// SIGINT and SIGTERM as a descriptor. No thread watches them: a child's death signal comes once per thread
/// of its parent, so the supervisor must have one thread only. Ownership: blocks the signals in the calling
/// thread while it lives.
class SignalDescriptor {
 public:
  SignalDescriptor();
  ~SignalDescriptor();
  SignalDescriptor(const SignalDescriptor&) = delete;
  SignalDescriptor& operator=(const SignalDescriptor&) = delete;
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
  sigset_t before_{};
};

/// What a running service says of itself in RUN/NAME.json.
struct ServiceAddress {
  std::string name, kind, metrics, http;
  std::int64_t pid = 0;
  std::vector<std::string> endpoints;
};
/// nullopt when there is none or it is not readable (yet).
[[nodiscard]] std::optional<ServiceAddress> read_address(const std::filesystem::path& file);

struct MemberSpec {
  std::string name;
  std::filesystem::path program;
  /// Evaluated at every start: later ones depend on what earlier ones announced.
  std::function<std::vector<std::string>()> arguments;
  std::filesystem::path log;
  int rank = 0;        ///< started in ascending order, ended in descending order
  bool first = false;  ///< must have announced itself before a higher rank is started
};

struct SupervisorOptions {
  std::filesystem::path run;
  int signals = -1;  ///< a SignalDescriptor's: the first signal drains, a second one quits
  std::chrono::milliseconds ready_timeout{120'000};
  std::chrono::milliseconds drain_timeout{75'000};  ///< per rank, above the services' own; then SIGKILL
};

struct SupervisorEvents {
  std::function<void(const std::string&)> say;
  std::function<bool(const ServiceAddress&)> is_ready;   ///< asks /readyz
  std::function<void(const ServiceAddress&)> announced;  ///< at the first announcement of each start
  std::function<void(const std::vector<ServiceAddress>&)> all_ready;  ///< once
};

class Supervisor {
 public:
  Supervisor(SupervisorOptions options, std::vector<MemberSpec> members, SupervisorEvents events);
  ~Supervisor();
  /// Until drained. Blocks.
  [[nodiscard]] Status run();
  /// Thread-safe, safe to call before run().
  void drain();

 private:
  struct Member {
    MemberSpec spec;
    std::optional<ChildProcess> child;
    std::optional<ServiceAddress> address;
    bool ready = false, ever_ready = false;
    int failures = 0, unready = 0;
    SteadyTime start_at{}, started_at{}, asked_at{};
  };
  [[nodiscard]] Status start_due();
  [[nodiscard]] bool may_start(const Member& member) const;
  [[nodiscard]] Status reap();
  [[nodiscard]] Status on_end(Member& member, const ChildEnd& end);
  void look_for_news();
  void ask_again(Member& member);
  void wait();
  [[nodiscard]] Status end_all();
  [[nodiscard]] Status end_rank(int rank);
  [[nodiscard]] Status wait_for_end(Member& member, SteadyTime until);
  [[nodiscard]] bool draining() const;
  [[nodiscard]] bool take_signal() const;

  SupervisorOptions options_;
  SupervisorEvents events_;
  std::vector<Member> members_;
  int wake_ = -1;
  bool said_ready_ = false;
  SteadyTime begun_at_{};
};

/// The pause before the n-th start in a row: 0.2 s, 0.4 s, ... at most 10 s.
[[nodiscard]] std::chrono::milliseconds restart_delay(int failures);

}  // namespace penstock::cli
