#include "common/telemetry/phase_times.hpp"

#include <gmock/gmock.h>

namespace penstock::telemetry {
namespace {

using std::chrono::milliseconds;

TEST(PhaseTimes, add_up_when_a_phase_occurs_again) {
  PhaseTimes times;
  times.add(Phase::witness, milliseconds(2));
  times.add(Phase::witness, milliseconds(3));
  EXPECT_EQ(times.get(Phase::witness), milliseconds(5));
  EXPECT_EQ(times.get(Phase::pack), std::nullopt);
}

TEST(PhaseTimes, a_phase_of_no_duration_still_occurred) {
  PhaseTimes times;
  times.add(Phase::h2d, Duration(0));
  EXPECT_EQ(times.get(Phase::h2d), Duration(0));
}

TEST(PhaseTimes, two_records_add_up_and_are_visited_in_the_order_of_the_list) {
  PhaseTimes synthesis, gpu;
  synthesis.add(Phase::witness, milliseconds(1));
  gpu.add(Phase::verify, milliseconds(2));
  gpu.add(Phase::witness, milliseconds(4));
  gpu.add(synthesis);
  std::vector<Phase> order;
  gpu.for_each([&](Phase phase, Duration) { order.push_back(phase); });
  EXPECT_THAT(order, testing::ElementsAre(Phase::witness, Phase::verify));
  EXPECT_EQ(gpu.get(Phase::witness), milliseconds(5));
}

TEST(PhaseScope, times_what_it_encloses) {
  PhaseTimes times;
  { const PhaseScope scope(times, Phase::verify); }
  ASSERT_TRUE(times.get(Phase::verify).has_value());
  EXPECT_GE(times.get(Phase::verify)->count(), 0);
}

}  // namespace
}  // namespace penstock::telemetry
