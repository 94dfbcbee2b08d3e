#include "common/runtime/lifecycle.hpp"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <thread>

#include "common/runtime/thread_name.hpp"

namespace penstock::runtime {
namespace {

sigset_t drain_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

extern "C" void quit_at_once(int signal) {
  _exit(128 + signal);
}

/// From now on a signal ends the process, whatever its threads are doing.
void quit_on_next_signal() {
  struct sigaction action {};
  action.sa_handler = quit_at_once;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
  const sigset_t set = drain_signals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

int checked(int fd, const char* what) {
  if (fd < 0) throw std::system_error(errno, std::generic_category(), what);
  return fd;
}

}  // namespace

struct SignalWatcher::Impl {
  std::function<void()> on_drain;
  sigset_t former{};
  int signals = -1, ending = -1;
  std::thread thread;

  void watch() const {
    name_this_thread("signals");
    std::array<pollfd, 2> items = {{{signals, POLLIN, 0}, {ending, POLLIN, 0}}};
    while (::poll(items.data(), items.size(), -1) < 0 && errno == EINTR) continue;
    signalfd_siginfo info{};
    if ((items[0].revents & POLLIN) == 0 || ::read(signals, &info, sizeof info) != sizeof info) return;
    quit_on_next_signal();
    on_drain();
    // The thread stays: it is the one that takes the next signal.
    while (::poll(&items[1], 1, -1) < 0 && errno == EINTR) continue;
  }
};

SignalWatcher::SignalWatcher(std::function<void()> on_drain) : impl_(std::make_unique<Impl>()) {
  const sigset_t set = drain_signals();
  pthread_sigmask(SIG_BLOCK, &set, &impl_->former);
  static_cast<void>(::signal(SIGPIPE, SIG_IGN));
  impl_->on_drain = std::move(on_drain);
  impl_->signals = checked(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd");
  impl_->ending = checked(::eventfd(0, EFD_CLOEXEC), "eventfd");
  impl_->thread = std::thread([impl = impl_.get()] { impl->watch(); });
}

SignalWatcher::~SignalWatcher() {
  static_cast<void>(::eventfd_write(impl_->ending, 1));
  impl_->thread.join();
  ::close(impl_->signals);
  ::close(impl_->ending);
  pthread_sigmask(SIG_SETMASK, &impl_->former, nullptr);
}

}  // namespace penstock::runtime
