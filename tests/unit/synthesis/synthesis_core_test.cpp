// The core with its real pool; tasks end quickly because their circuit is unknown, or wait on a gate.
#include "services/synthesis/synthesis_core.hpp"

#include <condition_variable>

#include "support.hpp"
#include "tests/unit/staging/staging_rig.hpp"

namespace penstock::synthesis {
namespace {

/// A link whose waits last until the test opens the gate or the task is stopped.
class GatedLink final : public staging::StagingLink {
 public:
  void open(const wire::PartitionRef&) override {}
  void close(const wire::PartitionRef&) override {}
  void send(const wire::GpuRoute&, wire::Message) override {}
  void send_chunk(const wire::GpuRoute&, const wire::StageChunk&, const wire::ChunkBytes&) override {}
  std::optional<wire::Message> wait_reply(const wire::PartitionRef& partition, std::chrono::milliseconds,
                                          std::stop_token stop) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, stop, [this] { return open_; });
    if (stop.stop_requested()) return std::nullopt;
    return wire::StageRefused{
        partition, {.code = ErrorCode::body_too_large, .what = "the gate is open"}, false};
  }
  void open_gate() {
    const std::scoped_lock lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool open_ = false;
};

class SynthesisCoreSuite : public ::testing::Test {
 protected:
  static constexpr std::uint32_t credits = 2;

  SynthesisCoreSuite() {
    options_.staging.host_id = "this host";
    options_.check_r1cs = false;
    std::filesystem::create_directories(folder_.path() / "circuits" / "mul-id");
    core_ = std::make_unique<SynthesisCore>(
        credits, runner_,
        CoreOutbox{.to_queue = [this](const wire::Message& message) -> Status {
                     if (!link_up_) return Error{.code = ErrorCode::overloaded, .what = "down"};
                     sent_.push_back(message);
                     return {};
                   },
                   .post =
                       [this](std::function<void()> work) {
                         const std::scoped_lock lock(mutex_);
                         posted_.push_back(std::move(work));
                         changed_.notify_all();
                       }},
        CoreHandlers{.finished = [this](const FinishedTask& task) { finished_.push_back(task); },
                     .offered = [this](const wire::CircuitRef& circuit) { offered_.push_back(circuit.name); },
                     .withdrawn = [this](const CircuitId& id) { withdrawn_.push_back(id.text()); }});
  }

  static wire::SynthesisTask task(std::uint32_t index, std::uint64_t token) {
    wire::SynthesisTask task;
    task.partition = {JobId("job"), 0, 1, FencingToken{7}};
    task.circuit.id = CircuitId("circuit");
    task.circuit.name = "mul";
    task.gpu = staging::parcel_for("this host").gpu;
    task.partition = {JobId("job"), index, 1, FencingToken{token}};
    task.circuit.id = CircuitId("mul-id");
    task.circuit.variables = 4;
    task.input_kind = wire::InputKind::wtns;
    const std::string bytes = read_file(vectors() / "bn254/mul.wtns");
    task.input.assign(bytes_of(bytes).begin(), bytes_of(bytes).end());
    return task;
  }
  /// Runs what the workers posted until `enough`.
  void pump_until(const std::function<bool()>& enough) {
    while (!enough()) {
      std::function<void()> work;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !posted_.empty(); });
        work = std::move(posted_.front());
        posted_.pop_front();
      }
      work();
    }
  }
  std::vector<wire::PartitionFailed> failures() const {
    std::vector<wire::PartitionFailed> all;
    for (const auto& message : sent_)
      if (const auto* failed = std::get_if<wire::PartitionFailed>(&message)) all.push_back(*failed);
    return all;
  }

  TemporaryFolder folder_;
  staging::ManualClock clock_;
  TaskOptions options_;
  CircuitShelf circuits_{folder_.path() / "circuits"};
  staging::Arenas arenas_;
  GatedLink link_;
  TaskRunner runner_{options_, circuits_, link_, arenas_, clock_};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> posted_;
  std::vector<wire::Message> sent_;
  std::vector<FinishedTask> finished_;
  std::vector<std::string> offered_, withdrawn_;
  bool link_up_ = true;
  std::unique_ptr<SynthesisCore> core_;  // last: its workers use the rest
};

TEST_F(SynthesisCoreSuite, HoldsATaskUntilItIsReported) {
  core_->from_queue(task(0, 1));
  EXPECT_EQ(core_->in_flight().size(), 1U);
  EXPECT_EQ(core_->credits_free(), 1U);
  link_.open_gate();
  pump_until([&] { return !finished_.empty(); });
  EXPECT_TRUE(core_->in_flight().empty());
  EXPECT_EQ(core_->credits_free(), credits);
  ASSERT_EQ(failures().size(), 1U);
  EXPECT_EQ(failures()[0].error.code, ErrorCode::body_too_large);
  EXPECT_FALSE(failures()[0].retryable);
  ASSERT_TRUE(finished_[0].error);
}

TEST_F(SynthesisCoreSuite, TakesATaskThatIsDeliveredTwiceOnce) {
  core_->from_queue(task(0, 1));
  core_->from_queue(task(0, 1));
  EXPECT_EQ(core_->in_flight().size(), 1U);
}

TEST_F(SynthesisCoreSuite, RefusesWhatItHasNoRoomFor) {
  for (std::uint32_t index = 0; index < 20; ++index) core_->from_queue(task(index, index + 1));
  EXPECT_LE(core_->in_flight().size(), 2 * credits);
  ASSERT_FALSE(failures().empty());
  for (const auto& failed : failures()) {
    EXPECT_EQ(failed.error.code, ErrorCode::overloaded);
    EXPECT_TRUE(failed.retryable);
  }
  EXPECT_EQ(core_->credits_free(), 0U);
}

TEST_F(SynthesisCoreSuite, StopsACancelledPartitionAndOnlyThat) {
  core_->from_queue(task(0, 1));
  core_->from_queue(task(1, 2));
  core_->from_queue(wire::CancelPartition{{JobId("job"), 0, 1, FencingToken{1}}});
  pump_until([&] { return !finished_.empty(); });
  EXPECT_EQ(finished_[0].partition.index, 0U);
  EXPECT_EQ(finished_[0].error->code, ErrorCode::cancelled);
  ASSERT_EQ(core_->in_flight().size(), 1U);
  EXPECT_EQ(core_->in_flight()[0].index, 1U);
}

TEST_F(SynthesisCoreSuite, GivesUpAnOlderAttemptForANewerOne) {
  core_->from_queue(task(0, 1));
  core_->from_queue(task(0, 5));
  pump_until([&] { return !finished_.empty(); });
  EXPECT_EQ(finished_[0].partition.token, FencingToken{1});
  ASSERT_EQ(core_->in_flight().size(), 1U);
  EXPECT_EQ(core_->in_flight()[0].token, FencingToken{5});
}

TEST_F(SynthesisCoreSuite, RepeatsAFailureUntilItIsAcknowledged) {
  link_.open_gate();
  core_->from_queue(task(0, 1));
  pump_until([&] { return !finished_.empty(); });
  core_->from_queue(wire::Welcome{});
  EXPECT_EQ(failures().size(), 2U);
  core_->from_queue(wire::ResultCommitted{finished_[0].partition});
  core_->from_queue(wire::Welcome{});
  EXPECT_EQ(failures().size(), 2U);
}

TEST_F(SynthesisCoreSuite, KeepsAFailureThatTheQueueCouldNotHear) {
  link_up_ = false;
  link_.open_gate();
  core_->from_queue(task(0, 1));
  pump_until([&] { return !finished_.empty(); });
  EXPECT_TRUE(sent_.empty());
  link_up_ = true;
  core_->from_queue(wire::Welcome{});
  EXPECT_EQ(failures().size(), 1U);
}

TEST_F(SynthesisCoreSuite, DrainsByFinishingWhatItHolds) {
  core_->from_queue(task(0, 1));
  core_->begin_drain();
  EXPECT_EQ(core_->credits(), 0U);
  EXPECT_FALSE(core_->drained());
  core_->from_queue(task(1, 2));
  ASSERT_EQ(failures().size(), 1U);
  EXPECT_EQ(failures()[0].error.code, ErrorCode::draining);
  EXPECT_TRUE(failures()[0].retryable);
  link_.open_gate();
  pump_until([&] { return !finished_.empty(); });
  EXPECT_TRUE(core_->drained());
}

TEST_F(SynthesisCoreSuite, HandsOnOffersAndWithdrawals) {
  wire::Welcome welcome;
  welcome.circuits.resize(2);
  welcome.circuits[0].name = "one";
  welcome.circuits[1].name = "two";
  core_->from_queue(welcome);
  core_->from_queue(wire::CircuitWithdrawn{CircuitId("evicted"), false});
  core_->from_queue(wire::CircuitWithdrawn{CircuitId("removed"), true});
  EXPECT_EQ(offered_, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(withdrawn_, (std::vector<std::string>{"removed"}));
}

}  // namespace
}  // namespace penstock::synthesis
