// Signals, each in a process of its own.
#include "common/runtime/lifecycle.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <future>

namespace penstock::runtime {
namespace {

/// Runs `body(ready_fd)` in a child, waits until it says that it is ready, hands over to `signals`, returns
/// the status.
template <class Body, class Signals>
int status_of_child(Body body, Signals signals) {
  int ready[2];
  EXPECT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(ready[0]);
    body(ready[1]);
    _exit(99);
  }
  close(ready[1]);
  signals(child, ready[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  close(ready[0]);
  return status;
}

void say(int fd) {
  EXPECT_EQ(write(fd, "x", 1), 1);
}
void hear(int fd) {
  char byte = 0;
  EXPECT_EQ(read(fd, &byte, 1), 1);
}

TEST(SignalWatcher, the_first_signal_drains) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const int status = status_of_child(
        [](int ready) {
          std::promise<void> drained;
          const SignalWatcher watcher([&] { drained.set_value(); });
          say(ready);
          drained.get_future().get();
          _exit(7);
        },
        [&](pid_t child, int ready) {
          hear(ready);
          kill(child, signal);
        });
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 7);
  }
}

TEST(SignalWatcher, the_second_signal_quits_at_once_even_while_draining_blocks) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const int status = status_of_child(
        [](int ready) {
          const SignalWatcher watcher([&] {
            say(ready);
            while (true) pause();
          });
          say(ready);
          while (true) pause();
        },
        [&](pid_t child, int ready) {
          hear(ready);
          kill(child, SIGTERM);
          hear(ready);
          kill(child, signal);
        });
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 128 + signal);
  }
}

TEST(SignalWatcher, a_broken_pipe_is_an_error_and_not_the_end) {
  const int status = status_of_child(
      [](int ready) {
        const SignalWatcher watcher([] {});
        int broken[2];
        if (pipe(broken) != 0) _exit(1);
        close(broken[0]);
        const bool failed = write(broken[1], "x", 1) < 0;
        say(ready);
        _exit(failed ? 0 : 2);
      },
      [](pid_t, int ready) { hear(ready); });
  EXPECT_EQ(status, 0);
}

TEST(SignalWatcher, watches_only_while_it_lives) {
  const int status = status_of_child(
      [](int ready) {
        {
          const SignalWatcher watcher([] { _exit(1); });
        }
        say(ready);
        while (true) pause();
      },
      [](pid_t child, int ready) {
        hear(ready);
        kill(child, SIGTERM);
      });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
}

}  // namespace
}  // namespace penstock::runtime
