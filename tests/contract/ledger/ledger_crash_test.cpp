// Kill -9 in the middle of admissions: every acknowledged job is there, whole.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <set>

#include "tests/contract/ledger/ledger_engines.hpp"

namespace penstock::queue::test {
namespace {

class LedgerCrash : public testing::TestWithParam<Engine> {};

/// Admits jobs for ever in small batches and reports each after its commit: 'number\n' on the pipe.
[[noreturn]] void admit_for_ever(const Engine& engine, const std::filesystem::path& folder, int first,
                                 int pipe) {
  auto ledger = engine.open(folder);
  if (!ledger.ok()) _exit(2);
  for (int number = first;; number += 2) {
    const std::vector<Change> batch = {JobAdmitted{.job = make_job("job" + std::to_string(number), 3)},
                                       JobAdmitted{.job = make_job("job" + std::to_string(number + 1), 1)}};
    if (!(*ledger)->commit(batch).ok()) _exit(3);
    const std::string line = std::to_string(number) + "\n" + std::to_string(number + 1) + "\n";
    if (::write(pipe, line.data(), line.size()) != static_cast<ssize_t>(line.size())) _exit(4);
  }
}

/// Reads acknowledgements until `enough` have come, kills the child there, then drains what it had said.
void kill_after(pid_t child, int pipe, std::size_t enough, std::set<int>& acknowledged) {
  std::string pending;
  std::array<char, 4096> buffer{};
  std::size_t seen = 0;
  for (ssize_t got = 0; (got = ::read(pipe, buffer.data(), buffer.size())) > 0;) {
    pending.append(buffer.data(), static_cast<std::size_t>(got));
    for (auto end = pending.find('\n'); end != std::string::npos; end = pending.find('\n')) {
      acknowledged.insert(std::stoi(pending.substr(0, end)));
      pending.erase(0, end + 1);
      if (++seen == enough) {
        ASSERT_EQ(::kill(child, SIGKILL), 0);
      }
    }
  }
}

TEST_P(LedgerCrash, every_acknowledged_job_survives_kill_9) {
  const ScratchFolder folder;
  std::set<int> acknowledged;
  for (int round = 0; round < 5; ++round) {
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe(pipe.data()), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::close(pipe[0]);
      admit_for_ever(GetParam(), folder.path(), round * 1'000'000, pipe[1]);
    }
    ::close(pipe[1]);
    kill_after(child, pipe[0], static_cast<std::size_t>(21 + 16 * round), acknowledged);
    ::close(pipe[0]);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself with " << WEXITSTATUS(status);
  }
  auto ledger = GetParam().open(folder.path());
  ASSERT_TRUE(ledger.ok()) << to_string(ledger.error());
  EXPECT_GE(acknowledged.size(), 200u);
  for (const int number : acknowledged) {
    const auto job = (*ledger)->find(JobId("job" + std::to_string(number)));
    ASSERT_TRUE(job.ok() && job->has_value()) << "job" << number << " was acknowledged and is lost";
    EXPECT_EQ((*job)->partitions.size(), number % 2 ? 1u : 3u);
  }
}

INSTANTIATE_TEST_SUITE_P(engines, LedgerCrash, testing::ValuesIn(engines()),
                         [](const auto& engine) { return engine.param.name; });

}  // namespace
}  // namespace penstock::queue::test
