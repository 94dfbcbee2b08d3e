// The allocator against a naive model, and its leases against time and stale tokens.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "common/wire/arena.hpp"

namespace penstock::wire {
namespace {

using std::chrono::milliseconds;

class FakeClock final : public Clock {
 public:
  [[nodiscard]] SteadyTime steady_now() const override { return now; }
  [[nodiscard]] WallTime wall_now() const override { return {}; }
  SteadyTime now{};
};

constexpr std::uint64_t unit = slab_unit_bytes;

/// One flag per unit; best fit by looking at every gap.
class NaiveModel {
 public:
  explicit NaiveModel(std::size_t units) : used_(units, false) {}

  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> gaps() const {
    std::vector<std::pair<std::size_t, std::size_t>> out;
    for (std::size_t i = 0; i < used_.size();) {
      if (used_[i]) {
        ++i;
        continue;
      }
      std::size_t end = i;
      while (end < used_.size() && !used_[end]) ++end;
      out.emplace_back(i, end - i);
      i = end;
    }
    return out;
  }
  [[nodiscard]] std::optional<std::size_t> best_fit(std::size_t units) const {
    std::optional<std::pair<std::size_t, std::size_t>> best;
    for (const auto& gap : gaps())
      if (gap.second >= units && (!best || gap.second < best->second)) best = gap;
    return best ? std::optional(best->first) : std::nullopt;
  }
  void mark(std::size_t first, std::size_t units, bool used) {
    std::fill_n(used_.begin() + static_cast<std::ptrdiff_t>(first), units, used);
  }

 private:
  std::vector<bool> used_;
};

TEST(SlabAllocator, behaves_like_a_naive_best_fit_with_coalescing) {
  FakeClock clock;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    std::mt19937_64 random(seed);
    constexpr std::size_t units = 200;
    SlabAllocator slabs(units * unit + 17, clock);  // a tail that fills no unit is not used
    NaiveModel model(units);
    std::map<std::uint64_t, SlabLease> held;
    for (int step = 0; step < 5000; ++step) {
      if (random() % 2 == 0) {
        const std::uint64_t bytes = 1 + random() % (40 * unit);
        const std::size_t wanted = (bytes + unit - 1) / unit;
        const auto expected = model.best_fit(wanted);
        const auto lease = slabs.lease(bytes, milliseconds(1));
        ASSERT_EQ(lease.ok(), expected.has_value());
        if (!lease.ok()) {
          ASSERT_EQ(lease.error().code, ErrorCode::overloaded);
          continue;
        }
        ASSERT_EQ(lease->offset, *expected * unit);
        ASSERT_EQ(lease->size_bytes, wanted * unit);
        model.mark(*expected, wanted, true);
        held.emplace(lease->lease, *lease);
      } else if (!held.empty()) {
        const auto victim = std::next(held.begin(), static_cast<std::ptrdiff_t>(random() % held.size()));
        slabs.release(victim->first);
        model.mark(victim->second.offset / unit, victim->second.size_bytes / unit, false);
        held.erase(victim);
      }
      const auto usage = slabs.usage();
      const auto gaps = model.gaps();
      std::size_t largest = 0, free = 0;
      for (const auto& gap : gaps) {
        largest = std::max(largest, gap.second);
        free += gap.second;
      }
      ASSERT_EQ(usage.slabs[0], gaps.size());
      ASSERT_EQ(usage.bytes[0], free * unit);
      ASSERT_EQ(usage.largest_free_bytes, largest * unit);
      ASSERT_EQ(usage.slabs[1], held.size());
    }
  }
}

TEST(SlabAllocator, tells_too_large_for_ever_from_no_room_now) {
  FakeClock clock;
  SlabAllocator slabs(10 * unit, clock);
  EXPECT_EQ(slabs.lease(10 * unit + 1, milliseconds(1)).error().code, ErrorCode::body_too_large);
  EXPECT_EQ(slabs.lease(~std::uint64_t{0}, milliseconds(1)).error().code, ErrorCode::body_too_large);
  EXPECT_EQ(slabs.lease(0, milliseconds(1)).error().code, ErrorCode::bad_request);
  ASSERT_TRUE(slabs.lease(6 * unit, milliseconds(1)).ok());
  EXPECT_EQ(slabs.lease(5 * unit, milliseconds(1)).error().code, ErrorCode::overloaded);
  EXPECT_TRUE(slabs.lease(4 * unit, milliseconds(1)).ok());
}

TEST(SlabAllocator, a_lease_goes_from_leased_to_staged_to_proving_to_free) {
  FakeClock clock;
  SlabAllocator slabs(10 * unit, clock);
  const auto lease = slabs.lease(100, milliseconds(50)).value();
  EXPECT_EQ(slabs.find(lease.lease)->state, SlabState::leased);
  slabs.set_proving(lease.lease);  // not staged yet: nothing happens
  EXPECT_EQ(slabs.find(lease.lease)->state, SlabState::leased);
  EXPECT_EQ(slabs.commit(lease.lease, lease.token)->state, SlabState::staged);
  slabs.set_proving(lease.lease);
  const auto usage = slabs.usage();
  EXPECT_EQ(usage.slabs[static_cast<int>(SlabState::proving)], 1u);
  EXPECT_EQ(usage.bytes[static_cast<int>(SlabState::proving)], unit);
  slabs.release(lease.lease);
  EXPECT_EQ(slabs.find(lease.lease), std::nullopt);
  EXPECT_EQ(slabs.usage().largest_free_bytes, 10 * unit);
}

TEST(SlabAllocator, a_stale_token_or_a_second_commit_is_refused) {
  FakeClock clock;
  SlabAllocator slabs(10 * unit, clock);
  const auto old = slabs.lease(10 * unit, milliseconds(50)).value();
  slabs.release(old.lease);
  const auto fresh = slabs.lease(10 * unit, milliseconds(50)).value();
  EXPECT_GT(fresh.token, old.token);
  EXPECT_EQ(slabs.commit(old.lease, old.token).error().code, ErrorCode::conflict);
  EXPECT_EQ(slabs.commit(fresh.lease, old.token).error().code, ErrorCode::conflict);
  EXPECT_TRUE(slabs.commit(fresh.lease, fresh.token).ok());
  EXPECT_EQ(slabs.commit(fresh.lease, fresh.token).error().code, ErrorCode::conflict);
}

TEST(SlabAllocator, an_expired_lease_cannot_commit_and_is_listed) {
  FakeClock clock;
  SlabAllocator slabs(10 * unit, clock);
  const auto late = slabs.lease(unit, milliseconds(10)).value();
  const auto staged = slabs.lease(unit, milliseconds(10)).value();
  const auto longer = slabs.lease(unit, milliseconds(1000)).value();
  ASSERT_TRUE(slabs.commit(staged.lease, staged.token).ok());
  clock.now += milliseconds(10);
  EXPECT_TRUE(slabs.expired().empty());
  clock.now += milliseconds(1);
  const auto expired = slabs.expired();
  ASSERT_EQ(expired.size(), 1u);  // what is staged does not expire
  EXPECT_EQ(expired.front().lease, late.lease);
  EXPECT_EQ(slabs.commit(late.lease, late.token).error().code, ErrorCode::conflict);
  EXPECT_TRUE(slabs.commit(longer.lease, longer.token).ok());
}

TEST(SlabAllocator, a_double_release_frees_nothing_twice) {
  FakeClock clock;
  SlabAllocator slabs(4 * unit, clock);
  const auto first = slabs.lease(2 * unit, milliseconds(1)).value();
  slabs.release(first.lease);
  const auto second = slabs.lease(2 * unit, milliseconds(1)).value();
  EXPECT_EQ(second.offset, first.offset);
  slabs.release(first.lease);  // late and unknown: the new tenant keeps its slab
  slabs.release(12345);
  EXPECT_EQ(slabs.usage().bytes[0], 2 * unit);
  ASSERT_TRUE(slabs.lease(2 * unit, milliseconds(1)).ok());
  EXPECT_EQ(slabs.lease(1, milliseconds(1)).error().code, ErrorCode::overloaded);
}

}  // namespace
}  // namespace penstock::wire
