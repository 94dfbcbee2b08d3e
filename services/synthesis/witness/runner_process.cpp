#include "services/synthesis/witness/runner_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "services/synthesis/witness/spawn.hpp"

namespace penstock::synthesis {
namespace {

constexpr std::chrono::milliseconds tick_interval{250};
constexpr std::chrono::milliseconds reap_patience{2000};

Error system_error(const char* what) {
  return {ErrorCode::internal, std::string(what) + ": " + std::strerror(errno)};
}

}  // namespace

StopSignal::StopSignal(std::stop_token stop)
    : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      callback_(std::move(stop), [number = event_.number()] {
        const std::uint64_t one = 1;
        // Full means signalled already.
        static_cast<void>(!::write(number, &one, sizeof(one)));
      }) {}

Result<RunnerProcess> RunnerProcess::start(const Options& options) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return system_error("socketpair");
  Descriptor ours(ends[0]), theirs(ends[1]);
  if (::fcntl(ours.number(), F_SETFL, O_NONBLOCK) != 0) return system_error("fcntl");
  const pid_t child = PENSTOCK_TRY(spawn(options.runner, options.arguments,
                                         {{theirs.number(), protocol::channel_descriptor},
                                          {options.witness, protocol::witness_descriptor},
                                          {options.program, protocol::program_descriptor}}));
  return RunnerProcess(child, std::move(ours));
}

RunnerProcess::RunnerProcess(RunnerProcess&& other) noexcept
    : child_(std::exchange(other.child_, -1)), channel_(std::move(other.channel_)) {}

RunnerProcess::~RunnerProcess() {
  if (child_ < 0) return;
  kill();
  while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void RunnerProcess::kill() noexcept {
  // The group: a compile has children of its own.
  ::kill(-child_, SIGKILL);
  ::kill(child_, SIGKILL);
}

Result<RunnerProcess::Ready> RunnerProcess::wait_for(short events, const Patience& patience) {
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(patience.until - std::chrono::steady_clock::now());
    if (left.count() <= 0)
      return Error{ErrorCode::time_limit, "the witness program did not finish in its time"};
    const auto nap = patience.tick ? std::min(left, tick_interval) : left;
    pollfd waits[2] = {{channel_.number(), events, 0}, {patience.stop_descriptor, POLLIN, 0}};
    const auto timeout = static_cast<int>(std::min<std::int64_t>(nap.count(), 1'000'000));
    const int ready = ::poll(waits, patience.stop_descriptor >= 0 ? 2 : 1, timeout);
    if (ready < 0 && errno != EINTR) return system_error("poll");
    if (ready > 0 && waits[1].revents != 0)
      return Error{ErrorCode::cancelled, "the witness is not wanted any more"};
    if (ready > 0 && (waits[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) return Ready::read;
    if (ready > 0 && (waits[0].revents & POLLOUT) != 0) return Ready::write;
    if (patience.tick) PENSTOCK_TRY(patience.tick());
  }
}

Status RunnerProcess::send(protocol::FrameKind kind, std::span<const std::byte> header,
                           std::span<const std::byte> payload, const Patience& patience) {
  const protocol::FrameHeader frame{static_cast<std::uint32_t>(kind),
                                    static_cast<std::uint32_t>(header.size() + payload.size())};
  for (std::span<const std::byte> part : {std::as_bytes(std::span(&frame, 1)), header, payload}) {
    while (!part.empty()) {
      const ssize_t put = ::send(channel_.number(), part.data(), part.size(), MSG_NOSIGNAL);
      if (put > 0) {
        part = part.subspan(static_cast<std::size_t>(put));
        continue;
      }
      if (put < 0 && errno != EAGAIN && errno != EINTR) return {};  // gone: receive() says how
      if (PENSTOCK_TRY(wait_for(POLLOUT | POLLIN, patience)) == Ready::read) return {};
    }
  }
  return {};
}

Status RunnerProcess::read_exactly(std::span<std::byte> into, const Patience& patience) {
  while (!into.empty()) {
    const ssize_t got = ::recv(channel_.number(), into.data(), into.size(), 0);
    if (got > 0) {
      into = into.subspan(static_cast<std::size_t>(got));
      continue;
    }
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) return death();
    PENSTOCK_TRY(wait_for(POLLIN, patience));
  }
  return {};
}

Result<RunnerFrame> RunnerProcess::receive(const Patience& patience) {
  protocol::FrameHeader header;
  PENSTOCK_TRY(read_exactly(std::as_writable_bytes(std::span(&header, 1)), patience));
  if (header.size_bytes > protocol::max_frame_bytes)
    return Error{ErrorCode::bad_format, "the witness program broke its runner"};
  RunnerFrame frame{static_cast<protocol::FrameKind>(header.kind), std::vector<std::byte>(header.size_bytes)};
  PENSTOCK_TRY(read_exactly(frame.payload, patience));
  return frame;
}

std::optional<int> RunnerProcess::reap(std::chrono::milliseconds within) {
  const Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, child_, 0)));
  if (process.open()) {
    pollfd end{process.number(), POLLIN, 0};
    static_cast<void>(::poll(&end, 1, static_cast<int>(within.count())));
  }
  int status = 0;
  const pid_t got = ::waitpid(child_, &status, process.open() ? WNOHANG : 0);
  if (got != child_) return std::nullopt;
  child_ = -1;
  return status;
}

void RunnerProcess::wait() {
  if (child_ >= 0) static_cast<void>(reap(reap_patience));
}

Error RunnerProcess::death() {
  const auto status = reap(reap_patience);
  const int signal = status && WIFSIGNALED(*status) ? WTERMSIG(*status) : 0;
  switch (signal) {
    case SIGXCPU:
      return {ErrorCode::time_limit, "the witness program used up its processor time"};
    case SIGKILL:
    case SIGBUS:
      return {ErrorCode::memory_limit,
              "the witness program was killed by the system, most likely for its memory",
              "give the machine more memory, or run fewer programs at once"};
    case SIGSYS:
      return {ErrorCode::bad_format, "the witness program tried a forbidden system call and was killed"};
    case SIGSEGV:
    case SIGILL:
    case SIGFPE:
    case SIGABRT:
      return {ErrorCode::bad_format, "the witness program crashed (signal " + std::to_string(signal) + ")"};
    default:
      return {ErrorCode::internal, "penstock-witness-runner ended without an answer"};
  }
}

}  // namespace penstock::synthesis
