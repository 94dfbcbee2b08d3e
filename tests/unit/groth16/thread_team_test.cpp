#include "common/groth16/thread_team.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "common/groth16/cpu_quota.hpp"

namespace penstock::groth16 {
namespace {

/// Tasks that wait for each other: only a team whose threads all come in can finish them.
TEST(ThreadTeam, RunsAsManyTasksAtOnceAsItHasThreads) {
  for (const int size : {1, 2, 5}) {
    ThreadTeam team(size);
    for (int round = 0; round < 50; ++round) {
      std::barrier all_inside(size);
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(size));
      team.for_each(static_cast<std::size_t>(size), [&](std::size_t, int worker) {
        all_inside.arrive_and_wait();
        ++calls[static_cast<std::size_t>(worker)];
      });
      for (const auto& count : calls) ASSERT_EQ(count, 1);
    }
  }
}

/// The gate opens and closes faster than a thread wakes: no task may be lost or done twice.
TEST(ThreadTeam, SmallRunsFollowEachOtherWithoutLosingATask) {
  ThreadTeam team(2);
  for (int round = 0; round < 20000; ++round) {
    std::atomic<int> done{0};
    team.for_each(2, [&](std::size_t, int) { ++done; });
    ASSERT_EQ(done, 2) << round;
  }
}

TEST(ThreadTeam, HandsOutEveryTaskExactlyOnce) {
  ThreadTeam team(4);
  for (const std::size_t tasks : {0u, 1u, 3u, 1000u}) {
    std::vector<std::atomic<int>> done(tasks);
    team.for_each(tasks, [&](std::size_t task, int) { ++done[task]; });
    for (const auto& count : done) EXPECT_EQ(count, 1);
  }
}

TEST(ThreadTeam, CoversARangeWithoutGapsOrOverlaps) {
  ThreadTeam team(3);
  for (const std::size_t count : {0u, 1u, 9u, 10u, 11u, 1001u}) {
    std::vector<std::atomic<int>> seen(count);
    team.for_ranges(count, 10, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) ++seen[i];
    });
    for (const auto& times : seen) EXPECT_EQ(times, 1);
  }
}

TEST(ThreadTeam, RethrowsAnExceptionAndGoesOnWorking) {
  ThreadTeam team(3);
  for (std::size_t bad = 0; bad < 3; ++bad)
    EXPECT_THROW(team.for_each(3,
                               [bad](std::size_t task, int) {
                                 if (task == bad) throw std::runtime_error("task");
                               }),
                 std::runtime_error);
  std::atomic<int> calls{0};
  team.for_each(3, [&](std::size_t, int) { ++calls; });
  EXPECT_EQ(calls, 3);
}

TEST(ThreadTeam, SerialisesRunsFromSeveralThreads) {
  ThreadTeam team(2);
  std::atomic<int> callers_inside{0}, most{0}, done{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller)
    callers.emplace_back([&] {
      for (int round = 0; round < 100; ++round)
        team.for_each(4, [&](std::size_t, int worker) {
          ++done;
          if (worker != 0) return;  // the caller's own thread
          most = std::max(most.load(), ++callers_inside);
          --callers_inside;
        });
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_LE(most, 1);
  EXPECT_EQ(done, 1200);
}

TEST(CpuQuota, ReadsCgroupVersionTwo) {
  EXPECT_EQ(cores_from_cpu_max("200000 100000"), 2);
  EXPECT_EQ(cores_from_cpu_max("150000 100000"), 2);
  EXPECT_EQ(cores_from_cpu_max("1000 100000"), 1);
  EXPECT_EQ(cores_from_cpu_max("max 100000"), std::nullopt);
  EXPECT_EQ(cores_from_cpu_max(""), std::nullopt);
  EXPECT_EQ(cores_from_cpu_max("nonsense"), std::nullopt);
  EXPECT_GE(available_cores(), 1);
}

}  // namespace
}  // namespace penstock::groth16
