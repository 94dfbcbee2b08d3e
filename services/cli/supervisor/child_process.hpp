// One supervised process: started in a process group of its own (a terminal's ctrl-c does not reach it), with
// its output in a log file, and asked to end when its parent dies.
// Ownership: move-only; a child that still runs when this dies gets SIGTERM from the kernel with the parent.
// Threads: the one that started it (PR_SET_PDEATHSIG is bound to the parent's thread).
// Errors: file_unreadable (no such program), file_unwritable (the log), internal.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace penstock::cli {

struct ChildOptions {
  std::filesystem::path program;
  std::vector<std::string> arguments;  ///< without the program's name
  std::filesystem::path log;           ///< appended to; set aside as .1 when it has grown large
};

/// How a process ended, for people: "exited with status 1", "was killed by signal 9".
struct ChildEnd {
  int status = 0;  ///< of waitpid
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::optional<int> exit_status() const;
};

class ChildProcess {
 public:
  [[nodiscard]] static Result<ChildProcess> start(const ChildOptions& options);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Readable (POLLIN) when the process has ended.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Its end, when it has ended; reaps it.
  [[nodiscard]] std::optional<ChildEnd> reap();
  void send_signal(int number) const;

 private:
  ChildProcess(pid_t pid, int descriptor) : pid_(pid), descriptor_(descriptor) {}
  pid_t pid_ = -1;
  int descriptor_ = -1;
  bool ended_ = false;
};

}  // namespace penstock::cli
