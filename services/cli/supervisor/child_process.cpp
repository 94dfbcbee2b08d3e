#include "services/cli/supervisor/child_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace penstock::cli {
namespace {

constexpr std::uintmax_t large_log_bytes = std::uintmax_t{64} << 20;
constexpr int cannot_execute = 127;

Result<int> open_log(const std::filesystem::path& log) {
  std::error_code ignored;
  if (std::filesystem::file_size(log, ignored) > large_log_bytes && !ignored)
    std::filesystem::rename(log, log.string() + ".1", ignored);
  const int descriptor = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (descriptor >= 0) return descriptor;
  return Error{.code = ErrorCode::file_unwritable, .what = std::strerror(errno), .file = log.string()};
}

// Between fork and exec: async-signal-safe calls only.
[[noreturn]] void become(const char* program, char* const* arguments, int log, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(cannot_execute);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  execv(program, arguments);
  _exit(cannot_execute);
}

}  // namespace

std::string ChildEnd::text() const {
  if (WIFSIGNALED(status)) return "was killed by signal " + std::to_string(WTERMSIG(status));
  return "exited with status " + std::to_string(WEXITSTATUS(status));
}

std::optional<int> ChildEnd::exit_status() const {
  if (!WIFEXITED(status)) return std::nullopt;
  return WEXITSTATUS(status);
}

Result<ChildProcess> ChildProcess::start(const ChildOptions& options) {
  if (access(options.program.c_str(), X_OK) != 0)
    return Error{.code = ErrorCode::file_unreadable,
                 .what = "the program cannot be run",
                 .hint = "penstock's services are expected beside penstock itself",
                 .file = options.program.string()};
  const int log = PENSTOCK_TRY(open_log(options.log));
  std::vector<std::string> texts = {options.program.string()};
  texts.insert(texts.end(), options.arguments.begin(), options.arguments.end());
  std::vector<char*> arguments;
  for (auto& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) become(texts.front().c_str(), arguments.data(), log, parent);
  close(log);
  const int descriptor = pid < 0 ? -1 : static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (descriptor >= 0) return ChildProcess(pid, descriptor);
  return Error{.code = ErrorCode::internal,
               .what = std::string("a process cannot be started: ") + std::strerror(errno)};
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      ended_(other.ended_) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(ended_, other.ended_);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::optional<ChildEnd> ChildProcess::reap() {
  if (ended_ || pid_ < 0) return std::nullopt;
  ChildEnd end;
  if (waitpid(pid_, &end.status, WNOHANG) != pid_) return std::nullopt;
  ended_ = true;
  return end;
}

void ChildProcess::send_signal(int number) const {
  if (!ended_ && descriptor_ >= 0) syscall(SYS_pidfd_send_signal, descriptor_, number, nullptr, 0);
}

}  // namespace penstock::cli
