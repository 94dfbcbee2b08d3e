#include "common/staging/stager.hpp"

#include "tests/unit/staging/staging_rig.hpp"

namespace penstock::staging {
namespace {

class StagerSuite : public ::testing::Test {
 protected:
  static constexpr std::uint64_t arena_bytes = 65'536, wanted = 1000;

  StagerSuite() { options_.host_id = "this host"; }

  wire::StageGrant grant(std::uint64_t lease) const {
    return grant_of(task_.partition, lease, arena_path_, 4096, 4096);
  }
  wire::StageRefused refusal(ErrorCode code, bool retryable) const {
    return {task_.partition, {.code = code, .what = "no"}, retryable};
  }
  /// Grants every request with a growing lease and accepts every commit.
  std::vector<wire::Message> willing(const wire::Message& message) {
    if (std::holds_alternative<wire::StageRequest>(message)) return {grant(++lease_)};
    if (const auto* commit = std::get_if<wire::StageCommit>(&message))
      return {wire::StageAccepted{commit->partition, commit->lease}};
    return {};
  }
  std::string stage(ScriptedLink& link, std::stop_token stop = {}) {
    Stager stager(options_, link, arenas_, clock_);
    phases_ = {};
    const auto status = stager.stage(
        task_, wanted,
        [&](std::span<std::byte> slab) {
          ++writes_;
          slab[0] = std::byte{0x5a};
          slab_bytes_ = slab.size();
          return Stager::Written{17, 4711};
        },
        phases_, std::move(stop));
    retryable_ = stager.retryable();
    return status.ok() ? "accepted" : std::string(name(status.error().code));
  }

  groth16::testing::ScratchFolder folder_;
  const std::filesystem::path arena_path_ = folder_ / "arena";
  std::unique_ptr<wire::ArenaFile> arena_ = wire::ArenaFile::create(arena_path_, arena_bytes).value();
  ManualClock clock_;
  StagerOptions options_;
  Arenas arenas_;
  Parcel task_ = parcel_for("this host");
  telemetry::PhaseTimes phases_;
  std::uint64_t lease_ = 0, slab_bytes_ = 0;
  int writes_ = 0;
  bool retryable_ = false;
};

TEST_F(StagerSuite, WritesStraightIntoTheSlabAndCommitsWhatItUsed) {
  ScriptedLink link(clock_, [&](const wire::Message& message) { return willing(message); });
  EXPECT_EQ(stage(link), "accepted");
  EXPECT_EQ(arena_->memory()[4096], std::byte{0x5a});
  EXPECT_EQ(slab_bytes_, 4096U);
  const auto requests = link.all_sent<wire::StageRequest>();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].size_bytes, wanted);
  EXPECT_EQ(requests[0].encoding, wire::Encoding::packed);
  const auto commits = link.all_sent<wire::StageCommit>();
  ASSERT_EQ(commits.size(), 1U);
  EXPECT_EQ(commits[0].used_bytes, 17U);
  EXPECT_EQ(commits[0].digest, 4711U);
  EXPECT_EQ(commits[0].slab_token, FencingToken{10});
  for (const Phase phase : {Phase::slab_wait, Phase::pack, Phase::stage}) EXPECT_TRUE(phases_.get(phase));
  EXPECT_TRUE(commits[0].phases.get(Phase::pack));
}

TEST_F(StagerSuite, RepeatsARequestAndACommitThatAreNotAnswered) {
  int requests = 0, commits = 0;
  ScriptedLink link(clock_, [&](const wire::Message& message) -> std::vector<wire::Message> {
    if (std::holds_alternative<wire::StageRequest>(message) && ++requests < 3) return {};
    if (std::holds_alternative<wire::StageCommit>(message) && ++commits < 3) return {};
    return willing(message);
  });
  EXPECT_EQ(stage(link), "accepted");
  EXPECT_EQ(requests, 3);
  EXPECT_EQ(commits, 3);
  EXPECT_EQ(writes_, 1);
}

TEST_F(StagerSuite, BacksOffWhileThereIsNoSlab) {
  int refusals = 0;
  ScriptedLink link(clock_, [&](const wire::Message& message) -> std::vector<wire::Message> {
    if (std::holds_alternative<wire::StageRequest>(message) && ++refusals <= 10)
      return {refusal(ErrorCode::overloaded, true)};
    return willing(message);
  });
  const auto begin = clock_.steady_now();
  EXPECT_EQ(stage(link), "accepted");
  // 10 + 20 + ... + 320 + 4 * 500 ms.
  EXPECT_EQ(clock_.steady_now() - begin, std::chrono::milliseconds(630 + 4 * 500));
}

// Fault: a circuit that nobody had registered was waited for as long as a slab.
TEST_F(StagerSuite, WaitsALittleForACircuitThatMayBeOnItsWay) {
  ScriptedLink link(clock_, [&](const wire::Message&) -> std::vector<wire::Message> {
    return {refusal(ErrorCode::circuit_unknown, true)};
  });
  const auto begin = clock_.steady_now();
  EXPECT_EQ(stage(link), "circuit_unknown");
  EXPECT_EQ(clock_.steady_now() - begin, options_.circuit_wait_limit);
}

TEST_F(StagerSuite, GivesUpWhenThereIsNoSlabForTooLong) {
  ScriptedLink link(clock_, [&](const wire::Message&) -> std::vector<wire::Message> {
    return {refusal(ErrorCode::overloaded, true)};
  });
  EXPECT_EQ(stage(link), "overloaded");
  EXPECT_TRUE(retryable_);
}

TEST_F(StagerSuite, HandsOnAFinalRefusalAndADrain) {
  ScriptedLink final_one(clock_, [&](const wire::Message&) -> std::vector<wire::Message> {
    return {refusal(ErrorCode::body_too_large, false)};
  });
  EXPECT_EQ(stage(final_one), "body_too_large");
  EXPECT_FALSE(retryable_);
  ScriptedLink draining(clock_, [&](const wire::Message&) -> std::vector<wire::Message> {
    return {refusal(ErrorCode::draining, true)};
  });
  EXPECT_EQ(stage(draining), "draining");
  EXPECT_TRUE(retryable_);
  EXPECT_EQ(draining.all_sent<wire::StageRequest>().size(), 1U);
}

TEST_F(StagerSuite, SaysWhichServiceDoesNotAnswer) {
  ScriptedLink link(clock_, [](const wire::Message&) { return std::vector<wire::Message>{}; });
  EXPECT_EQ(stage(link), "device_unavailable");
  EXPECT_TRUE(retryable_);
}

TEST_F(StagerSuite, StartsAnewWhenItsLeaseHasEnded) {
  ScriptedLink link(clock_, [&](const wire::Message& message) -> std::vector<wire::Message> {
    const auto* commit = std::get_if<wire::StageCommit>(&message);
    if (commit != nullptr && commit->lease == 1) return {refusal(ErrorCode::conflict, true)};
    return willing(message);
  });
  EXPECT_EQ(stage(link), "accepted");
  EXPECT_EQ(writes_, 2);
  ASSERT_EQ(link.all_sent<wire::StageAbandon>().size(), 1U);
  EXPECT_EQ(link.all_sent<wire::StageAbandon>()[0].lease, 1U);
}

TEST_F(StagerSuite, GivesUpWhenEveryLeaseEnds) {
  ScriptedLink link(clock_, [&](const wire::Message& message) -> std::vector<wire::Message> {
    if (std::holds_alternative<wire::StageCommit>(message)) return {refusal(ErrorCode::conflict, true)};
    return willing(message);
  });
  EXPECT_EQ(stage(link), "overloaded");
  EXPECT_EQ(writes_, 3);
}

TEST_F(StagerSuite, IgnoresAnswersToAnEarlierLease) {
  ScriptedLink link(clock_, [&](const wire::Message& message) -> std::vector<wire::Message> {
    if (std::holds_alternative<wire::StageRequest>(message))
      return {wire::StageAccepted{task_.partition, 99}, grant(5)};
    const auto* commit = std::get_if<wire::StageCommit>(&message);
    if (commit == nullptr) return {};
    return {grant(5), wire::StageAccepted{task_.partition, 4}, wire::StageAccepted{task_.partition, 5}};
  });
  EXPECT_EQ(stage(link), "accepted");
}

TEST_F(StagerSuite, AbandonsASlabThatIsNoneOfTheArena) {
  ScriptedLink outside(clock_, [&](const wire::Message& message) -> std::vector<wire::Message> {
    if (!std::holds_alternative<wire::StageRequest>(message)) return {};
    return {grant_of(task_.partition, 4, arena_path_, arena_bytes - 100, 4096)};
  });
  EXPECT_EQ(stage(outside), "index_out_of_range");
  ScriptedLink small(clock_, [&](const wire::Message& message) -> std::vector<wire::Message> {
    if (!std::holds_alternative<wire::StageRequest>(message)) return {};
    return {grant_of(task_.partition, 5, arena_path_, 0, 999)};
  });
  EXPECT_EQ(stage(small), "size_mismatch");
  EXPECT_EQ(writes_, 0);
}

TEST_F(StagerSuite, AbandonsItsRequestWhenItIsCancelled) {
  std::stop_source stop;
  ScriptedLink link(clock_, [](const wire::Message&) { return std::vector<wire::Message>{}; });
  link.on_wait = [&] { stop.request_stop(); };
  EXPECT_EQ(stage(link, stop.get_token()), "cancelled");
  EXPECT_EQ(link.all_sent<wire::StageAbandon>().size(), 1U);
}

TEST_F(StagerSuite, AbandonsItsSlabWhenItIsCancelledBeforeTheAnswerToItsCommit) {
  std::stop_source stop;
  ScriptedLink link(clock_, [&](const wire::Message& message) -> std::vector<wire::Message> {
    if (std::holds_alternative<wire::StageCommit>(message)) stop.request_stop();
    if (std::holds_alternative<wire::StageCommit>(message)) return {};
    return willing(message);
  });
  EXPECT_EQ(stage(link, stop.get_token()), "cancelled");
  EXPECT_EQ(link.all_sent<wire::StageAbandon>().at(0).lease, 1U);
}

}  // namespace
}  // namespace penstock::staging
