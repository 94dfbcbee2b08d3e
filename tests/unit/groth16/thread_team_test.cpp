#include "common/groth16/thread_team.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "common/groth16/cpu_quota.hpp"

namespace penstock::groth16 {
namespace {

TEST(ThreadTeam, RunsTheBodyOnceOnEveryThread) {
  for (const int size : {1, 2, 5}) {
    ThreadTeam team(size);
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(size));
    for (int round = 0; round < 50; ++round)
      team.run([&](int worker) { ++calls[static_cast<std::size_t>(worker)]; });
    for (const auto& count : calls) EXPECT_EQ(count, 50);
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
  EXPECT_THROW(team.run([](int worker) {
    if (worker == 2) throw std::runtime_error("worker");
  }),
               std::runtime_error);
  std::atomic<int> calls{0};
  team.run([&](int) { ++calls; });
  EXPECT_EQ(calls, 3);
}

TEST(ThreadTeam, SerialisesRunsFromSeveralThreads) {
  ThreadTeam team(2);
  std::atomic<int> inside{0}, most{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller)
    callers.emplace_back([&] {
      for (int round = 0; round < 100; ++round)
        team.run([&](int worker) {
          if (worker != 0) return;
          most = std::max(most.load(), ++inside);
          --inside;
        });
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(most, 1);
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
