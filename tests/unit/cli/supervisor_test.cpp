// Processes: started, watched, started again, ended in order; a folder has one owner.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

#include "services/cli/supervisor/data_folder.hpp"
#include "services/cli/supervisor/previous_run.hpp"
#include "services/cli/supervisor/supervisor.hpp"

namespace penstock::cli {
namespace {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string path = testing::TempDir() + "penstock-cli-XXXXXX";
    path_ = mkdtemp(path.data());
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string read(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

ChildEnd wait_for_end(ChildProcess& child) {
  pollfd ended{.fd = child.descriptor(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&ended, 1, 10'000), 1);
  return child.reap().value_or(ChildEnd{});
}

TEST(ChildProcess, its_output_goes_to_the_log_and_its_end_is_told) {
  const ScratchFolder folder;
  auto child =
      ChildProcess::start({"/bin/sh", {"-c", "echo out; echo err >&2; exit 5"}, folder.path() / "log"});
  ASSERT_TRUE(child.ok());
  EXPECT_EQ(wait_for_end(*child).text(), "exited with status 5");
  EXPECT_EQ(read(folder.path() / "log"), "out\nerr\n");
}

TEST(ChildProcess, a_killed_one_is_told_apart) {
  const ScratchFolder folder;
  auto child = ChildProcess::start({"/bin/sleep", {"60"}, folder.path() / "log"});
  ASSERT_TRUE(child.ok());
  child->send_signal(SIGKILL);
  EXPECT_EQ(wait_for_end(*child).text(), "was killed by signal 9");
}

TEST(ChildProcess, a_missing_program_is_named) {
  const ScratchFolder folder;
  const auto child = ChildProcess::start({"/nowhere/penstock-gpu", {}, folder.path() / "log"});
  ASSERT_FALSE(child.ok());
  EXPECT_EQ(child.error().file, "/nowhere/penstock-gpu");
}

/// Returns once the program runs: until then the process still has our name.
Result<ChildProcess> start_sleep(const ScratchFolder& folder) {
  auto child = ChildProcess::start({"/bin/sleep", {"60"}, folder.path() / "log"});
  while (child.ok() && read("/proc/" + std::to_string(child->pid()) + "/comm") != "sleep\n")
    std::this_thread::yield();
  return child;
}

TEST(PreviousRun, a_service_that_still_drains_is_waited_for_and_named) {
  const ScratchFolder folder;
  auto child = start_sleep(folder);
  ASSERT_TRUE(child.ok());
  const std::string pid = std::to_string(child->pid());
  std::ofstream(folder.path() / "gpu-cpu.json")
      << R"({"name": "gpu-cpu", "kind": "gpu", "pid": )" << pid << "}";
  std::string said;
  PreviousRunOptions options{.run = folder.path(),
                             .patience = std::chrono::milliseconds(20),
                             .programs = "sleep",
                             .say = [&](const std::string& what) { said = what; }};
  const Status waited = wait_for_previous_run(options);
  ASSERT_FALSE(waited.ok());
  EXPECT_EQ(waited.error().code, ErrorCode::conflict);
  EXPECT_EQ(said, "waiting for gpu-cpu (pid " + pid + ") of the previous run to drain");
  options.patience = std::chrono::seconds(30);
  options.say = [&](const std::string&) { child->send_signal(SIGTERM); };
  EXPECT_TRUE(wait_for_previous_run(options).ok());
  static_cast<void>(wait_for_end(*child));
}

TEST(PreviousRun, numbers_that_are_anothers_by_now_and_files_that_are_none_are_passed_over) {
  const ScratchFolder folder;
  std::ofstream(folder.path() / "gpu-cpu.json") << R"({"name": "gpu-cpu", "pid": )" << getpid() << "}";
  std::ofstream(folder.path() / "gone.json") << R"({"name": "gone", "pid": 4194303})";
  std::ofstream(folder.path() / "broken.json") << "{";
  EXPECT_TRUE(wait_for_previous_run({.run = folder.path(), .patience = std::chrono::seconds(30)}).ok());
  EXPECT_TRUE(wait_for_previous_run({.run = folder.path() / "none"}).ok());
}

TEST(PreviousRun, a_signal_ends_the_wait) {
  const ScratchFolder folder;
  auto child = start_sleep(folder);
  ASSERT_TRUE(child.ok());
  std::ofstream(folder.path() / "a.json") << R"({"name": "a", "pid": )" << child->pid() << "}";
  const SignalDescriptor signals;
  raise(SIGTERM);
  const Status waited =
      wait_for_previous_run({.run = folder.path(), .programs = "sleep", .signals = signals.descriptor()});
  ASSERT_FALSE(waited.ok());
  EXPECT_EQ(waited.error().code, ErrorCode::cancelled);
  signalfd_siginfo taken{};
  EXPECT_EQ(::read(signals.descriptor(), &taken, sizeof taken), static_cast<ssize_t>(sizeof taken));
  child->send_signal(SIGKILL);
  static_cast<void>(wait_for_end(*child));
}

TEST(DataFolder, everything_in_it_is_the_owners_alone) {
  const ScratchFolder scratch;
  const auto data = DataFolder::open(scratch.path() / "data");
  ASSERT_TRUE(data.ok());
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data->root()))
    if (entry.is_directory()) {
      EXPECT_EQ(entry.status().permissions(), std::filesystem::perms::owner_all) << entry.path();
    }
  EXPECT_TRUE(data->local_address("queue").starts_with("ipc://"));
}

TEST(DataFolder, a_second_owner_is_refused_and_told_the_firsts_pid) {
  const ScratchFolder scratch;
  const auto first = DataFolder::open(scratch.path());
  const auto second = DataFolder::open(scratch.path());
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::conflict);
  EXPECT_NE(second.error().what.find("process " + std::to_string(getpid())), std::string::npos);
}

TEST(DataFolder, a_path_too_long_for_a_socket_takes_loopback) {
  const ScratchFolder scratch;
  const auto data = DataFolder::open(scratch.path() / std::string(120, 'x'));
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(data->local_address("queue"), "tcp://127.0.0.1:0");
}

/// A shell that announces itself as a service does, then obeys `script`.
MemberSpec shell_member(const std::filesystem::path& run, const std::string& name, int rank,
                        std::string script) {
  const std::string file = (run / (name + ".json")).string();
  const std::string announce = R"(printf '{"name":"%s","pid":%d,"metrics":"m"}' )" + name + " $$ > " + file +
                               ".new; mv " + file + ".new " + file + "; ";
  return {.name = name,
          .program = "/bin/sh",
          .arguments =
              [command = announce + std::move(script)] {
                return std::vector<std::string>{"-c", command};
              },
          .log = run / (name + ".log"),
          .rank = rank,
          .first = rank == 0};
}

TEST(Supervisor, starts_again_what_dies_and_ends_in_order) {
  const ScratchFolder folder;
  const std::string order = (folder.path() / "order").string();
  // The first start of `worker` dies, the second lives.
  const std::string worker = "if [ ! -e " + order + ".died ]; then touch " + order +
                             ".died; exit 7; fi; trap 'echo worker >> " + order +
                             "; exit 0' TERM; while :; do sleep 0.01; done";
  const std::string queue = "trap 'echo queue >> " + order + "; exit 0' TERM; while :; do sleep 0.01; done";
  std::vector<std::string> said;
  std::vector<ServiceAddress> ready;
  Supervisor* running = nullptr;
  Supervisor supervisor(
      {.run = folder.path()},
      {shell_member(folder.path(), "queue", 0, queue), shell_member(folder.path(), "worker", 1, worker)},
      {.say = [&](const std::string& what) { said.push_back(what); },
       .is_ready = [&](const ServiceAddress& a) { return a.name == "queue" || !said.empty(); },
       .announced = [](const ServiceAddress&) {},
       .all_ready =
           [&](const std::vector<ServiceAddress>& all) {
             ready = all;
             running->drain();
           }});
  running = &supervisor;
  const Status ended = supervisor.run();
  ASSERT_TRUE(ended.ok()) << to_string(ended.error());
  ASSERT_EQ(ready.size(), 2u);
  ASSERT_FALSE(said.empty());
  EXPECT_NE(said.front().find("worker (pid "), std::string::npos) << said.front();
  EXPECT_NE(said.front().find("exited with status 7; starting it again in 0.2 s"), std::string::npos)
      << said.front();
  EXPECT_EQ(read(order), "worker\nqueue\n");
}

TEST(Supervisor, says_that_a_living_service_is_not_ready_any_more) {
  const ScratchFolder folder;
  bool began = false;
  std::vector<std::string> said;
  Supervisor* running = nullptr;
  Supervisor supervisor(
      {.run = folder.path()},
      {shell_member(folder.path(), "gpu", 0, "trap 'exit 0' TERM; while :; do sleep 0.01; done")},
      {.say =
           [&](const std::string& what) {
             said.push_back(what);
             running->drain();
           },
       .is_ready = [&](const ServiceAddress&) { return !std::exchange(began, true); },
       .announced = [](const ServiceAddress&) {},
       .all_ready = [](const std::vector<ServiceAddress>&) {}});
  running = &supervisor;
  const Status ended = supervisor.run();
  ASSERT_TRUE(ended.ok()) << to_string(ended.error());
  ASSERT_EQ(said.size(), 1u) << "it is not started again";
  EXPECT_NE(said.front().find("gpu (pid "), std::string::npos) << said.front();
  EXPECT_NE(said.front().find("alive but not ready: http://m/readyz"), std::string::npos) << said.front();
}

TEST(Supervisor, a_service_that_cannot_start_ends_it_with_the_last_line_of_its_log) {
  const ScratchFolder folder;
  Supervisor supervisor({.run = folder.path()},
                        {{.name = "queue",
                          .program = "/bin/sh",
                          .arguments =
                              [] {
                                return std::vector<std::string>{
                                    "-c",
                                    "echo 'penstock-queue: error[conflict]: the port is taken' >&2; exit 2"};
                              },
                          .log = folder.path() / "queue.log"}},
                        {.say = [](const std::string&) {},
                         .is_ready = [](const ServiceAddress&) { return false; },
                         .announced = [](const ServiceAddress&) {},
                         .all_ready = [](const std::vector<ServiceAddress>&) {}});
  const Status ended = supervisor.run();
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.error().code, ErrorCode::conflict);
  EXPECT_NE(ended.error().what.find("the port is taken"), std::string::npos);
}

}  // namespace
}  // namespace penstock::cli
