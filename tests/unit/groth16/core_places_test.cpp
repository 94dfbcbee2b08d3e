#include "common/groth16/core_places.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include "common/groth16/cpu_quota.hpp"
#include "common/groth16/thread_team.hpp"

namespace penstock::groth16 {
namespace {

std::set<int> distinct(const std::vector<int>& places) {
  return {places.begin(), places.end()};
}

// Two nodes of four cores of two hardware threads: processors 0 and 1 are one core, 0 to 7 one node.
constexpr const char* two_nodes = "numa:2 core:4 pu:2";

TEST(CorePlaces, EveryThreadHasACoreOfItsOwnWhileThereAreCores) {
  for (int threads = 1; threads <= 8; ++threads) {
    const auto places = core_places_of(two_nodes, threads);
    ASSERT_EQ(places.size(), static_cast<std::size_t>(threads));
    std::set<int> cores;
    for (const int place : places) cores.insert(place / 2);
    EXPECT_EQ(cores.size(), places.size()) << threads;
  }
}

TEST(CorePlaces, NodesShareTheThreads) {
  for (const int threads : {2, 4, 8, 16}) {
    const auto places = core_places_of(two_nodes, threads);
    EXPECT_EQ(std::count_if(places.begin(), places.end(), [](int place) { return place < 8; }), threads / 2);
  }
}

TEST(CorePlaces, AFullMachineUsesEveryProcessorOnce) {
  EXPECT_EQ(distinct(core_places_of(two_nodes, 16)).size(), 16U);
}

TEST(CorePlaces, NobodyIsPinnedBeyondTheProcessorsOrOnANonsensicalMachine) {
  EXPECT_TRUE(core_places_of(two_nodes, 17).empty());
  EXPECT_TRUE(core_places_of(two_nodes, 0).empty());
  EXPECT_TRUE(core_places_of("no such machine", 1).empty());
}

TEST(CorePlaces, OfThisMachineAreAllowedAndTaken) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  ASSERT_EQ(::sched_getaffinity(0, sizeof(mask), &mask), 0);
  const auto places = core_places(1);
  ASSERT_EQ(places.size(), 1U);
  EXPECT_TRUE(CPU_ISSET(static_cast<std::size_t>(places[0]), &mask));
  std::thread([&] {
    ASSERT_TRUE(pin_this_thread(places[0]));
    EXPECT_EQ(::sched_getcpu(), places[0]);
  }).join();
}

TEST(CorePlaces, ATeamBeyondTheProcessorsSaysThatItIsNotPinned) {
  EXPECT_FALSE(
      ThreadTeam(static_cast<int>(std::thread::hardware_concurrency()) + 1, Placement::pinned).is_pinned());
  EXPECT_FALSE(ThreadTeam(1).is_pinned());
}

TEST(CorePlaces, MemoryIsInterleavedOrThereIsOneNode) {
  std::thread([] {
    EXPECT_TRUE(interleave_memory());
  }).join();  // a thread of its own: the policy stays with it
}

TEST(CorePlaces, APinnedTeamKeepsToItsProcessors) {
  const int threads = std::min(available_cores(), 2);
  const auto places = core_places(threads);
  ThreadTeam team(threads, Placement::pinned);
  EXPECT_TRUE(team.is_pinned());
  std::vector<cpu_set_t> masks(static_cast<std::size_t>(threads));
  std::atomic<int> arrived{0};
  team.for_each(masks.size(), [&](std::size_t, int worker) {
    ++arrived;
    while (arrived.load() < threads) std::this_thread::yield();  // a task each
    ::sched_getaffinity(0, sizeof(cpu_set_t), &masks[static_cast<std::size_t>(worker)]);
  });
  for (std::size_t worker = 1; worker < masks.size(); ++worker) {
    EXPECT_EQ(CPU_COUNT(&masks[worker]), 1);
    EXPECT_TRUE(CPU_ISSET(static_cast<std::size_t>(places[worker]), &masks[worker]));
  }
}

}  // namespace
}  // namespace penstock::groth16
