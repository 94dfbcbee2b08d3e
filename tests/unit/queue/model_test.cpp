#include "services/queue/model.hpp"

#include <gtest/gtest.h>

#include "services/queue/phase_text.hpp"

namespace penstock::queue::test {
namespace {

TEST(Model, names_and_values_are_inverse) {
  for (const auto& label : job_state_names) EXPECT_EQ(name(*job_state_from(label)), label);
  for (const auto& label : partition_state_names) EXPECT_EQ(name(*partition_state_from(label)), label);
  for (const auto& label : priority_names) EXPECT_EQ(name(*priority_from(label)), label);
  EXPECT_FALSE(job_state_from("Done"));
  EXPECT_FALSE(priority_from(""));
}

TEST(Model, a_job_is_cancelled_before_it_is_failed_before_it_is_done) {
  using S = PartitionState;
  EXPECT_EQ(finished_state({S::done, S::done}), JobState::done);
  EXPECT_EQ(finished_state({S::done, S::failed}), JobState::failed);
  EXPECT_EQ(finished_state({S::cancelled, S::failed}), JobState::cancelled);
}

TEST(Model, times_of_day_are_read_as_they_are_written) {
  const WallMillis time(std::chrono::milliseconds(1764558245678));
  EXPECT_EQ(to_iso8601(time), "2025-12-01T03:04:05.678Z");
  EXPECT_EQ(from_iso8601("2025-12-01T03:04:05.678Z"), time);
  EXPECT_EQ(from_iso8601("2025-12-01T03:04:05.6781Z"), time);
  EXPECT_EQ(from_iso8601("2025-12-01T03:04:05Z"), time - std::chrono::milliseconds(678));
  for (const char* bad :
       {"", "2025-12-01", "2025-12-01T03:04:05", "2025-02-30T00:00:00Z", "2025-12-01T24:00:00Z",
        "2025-12-01T03:04:05.Z", "2025-12-01 03:04:05Z", "x025-12-01T03:04:05Z", "2025-12-01T03:04:05+01:00"})
    EXPECT_FALSE(from_iso8601(bad)) << bad;
}

TEST(Model, phases_survive_their_text) {
  telemetry::PhaseTimes phases;
  phases.add(Phase::admit, std::chrono::nanoseconds(1));
  phases.add(Phase::result, std::chrono::hours(1));
  const auto read = phases_from_text(to_text(phases));
  EXPECT_EQ(read.get(Phase::admit), std::chrono::nanoseconds(1));
  EXPECT_EQ(read.get(Phase::result), std::chrono::hours(1));
  EXPECT_FALSE(read.get(Phase::ntt));
  EXPECT_EQ(to_text(phases_from_text("admit=5 future_phase=7 ntt=x garbage")), "admit=5");
}

}  // namespace
}  // namespace penstock::queue::test
