// Workers that die, stall or write where they may not any more: nobody else's job is harmed.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/unit/gpu/core_rig.hpp"

namespace penstock::gpu::tests {
namespace {

/// Bytes over a pipe between a test and its worker process.
class Pipe {
 public:
  Pipe() { EXPECT_EQ(pipe(ends_), 0); }
  ~Pipe() {
    close(ends_[0]);
    close(ends_[1]);
  }
  template <class T>
  void send(const T& value) const {
    if (write(ends_[1], &value, sizeof value) != static_cast<ssize_t>(sizeof value)) _exit(3);
  }
  template <class T>
  [[nodiscard]] T wait() const {
    T value{};
    if (read(ends_[0], &value, sizeof value) != static_cast<ssize_t>(sizeof value)) _exit(3);
    return value;
  }

 private:
  int ends_[2] = {};
};

struct SlabPlace {
  std::uint64_t offset = 0, size_bytes = 0;
};

/// A synthesis worker in a process of its own. Made before the core's threads are.
class WorkerProcess {
 public:
  explicit WorkerProcess(const std::filesystem::path& arena) {
    pid_ = fork();
    if (pid_ == 0) work(arena);
  }
  ~WorkerProcess() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  /// Returns when half the slab is written.
  void write_half(const wire::StageGrant& grant) const {
    to_worker_.send(SlabPlace{grant.offset, grant.size_bytes});
    EXPECT_EQ(from_worker_.wait<char>(), 'h');
  }
  void die_while_writing() const {
    kill(pid_, SIGKILL);
    siginfo_t ended;
    waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOWAIT);
  }
  /// Lets a stalled worker write the other half, and all of it once more; returns when it has.
  void wake() const {
    to_worker_.send(SlabPlace{});
    EXPECT_EQ(from_worker_.wait<char>(), 'd');
  }
  static constexpr std::byte half{7}, whole{8};

 private:
  [[noreturn]] void work(const std::filesystem::path& arena) const {
    const auto place = to_worker_.wait<SlabPlace>();
    const auto mapping = wire::ArenaMapping::open(arena);
    if (!mapping.ok()) _exit(1);
    const auto slab = (*mapping)->range(place.offset, place.size_bytes);
    if (!slab.ok()) _exit(2);
    std::fill_n(slab->begin(), slab->size() / 2, half);
    from_worker_.send('h');
    static_cast<void>(to_worker_.wait<SlabPlace>());
    std::fill(slab->begin(), slab->end(), whole);
    from_worker_.send('d');
    for (;;) pause();
  }
  Pipe to_worker_, from_worker_;
  pid_t pid_ = -1;
};

class Faults : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "penstock-faults-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] RigOptions one_slab() const {
    return {.arena_bytes = 4096, .arena_path = folder_ / "arena", .lanes = 1};
  }
  std::filesystem::path folder_;
};

TEST_F(Faults, a_worker_killed_while_writing_leaves_a_wiped_slab_to_the_next) {
  const WorkerProcess worker(folder_ / "arena");
  CoreRig rig(one_slab());
  const auto grant = rig.granted(CoreRig::request(CoreRig::ref(0)));
  worker.write_half(grant);
  worker.die_while_writing();
  rig.ask(CoreRig::request(CoreRig::ref(1)));
  EXPECT_EQ(rig.refusal().error.code, ErrorCode::overloaded) << "its lease lasts a while yet";
  rig.clock.advance(31s);
  rig.core().tick();
  EXPECT_TRUE(rig.slab_is_wiped(grant));
  rig.stage(CoreRig::ref(1), 4);
  ASSERT_TRUE(rig.wait_sent<wire::PartitionProved>(1));
  EXPECT_EQ(rig.sent<wire::PartitionProved>().front().partition.index, 1u);
  EXPECT_EQ(rig.used_slabs(), 0u);
}

// 8 is even: the stalled worker's bytes are a valid witness of the same circuit. Without the checksum its
// proof would be the other job's result.
TEST_F(Faults, a_stalled_worker_that_wakes_after_its_slab_was_leased_again_spoils_no_result) {
  const WorkerProcess worker(folder_ / "arena");
  CoreRig rig(one_slab());
  worker.write_half(rig.granted(CoreRig::request(CoreRig::ref(0))));
  rig.clock.advance(31s);
  rig.core().tick();
  const auto fresh = rig.granted(CoreRig::request(CoreRig::ref(1)));
  rig.write(fresh, 4);
  worker.wake();
  rig.from_worker(CoreRig::checked_commit_of(fresh, 4));
  ASSERT_TRUE(rig.wait_sent<wire::PartitionFailed>(1));
  const auto failed = rig.sent<wire::PartitionFailed>().front();
  EXPECT_EQ(failed.error.code, ErrorCode::conflict);
  EXPECT_TRUE(failed.retryable);
  EXPECT_TRUE(rig.sent<wire::PartitionProved>().empty());
  EXPECT_FALSE(rig.core().fault()) << "the device is not to blame";
  rig.core().from_queue(wire::ResultCommitted{CoreRig::ref(1)});
  const auto again = rig.granted(CoreRig::request(CoreRig::ref(1, 2)));
  rig.write(again, 4);
  rig.from_worker(CoreRig::checked_commit_of(again, 4));
  ASSERT_TRUE(rig.wait_sent<wire::PartitionProved>(1));
  EXPECT_EQ(rig.sent<wire::PartitionProved>().front().public_json, "[\n \"4\"\n]");
}

TEST_F(Faults, a_slab_spoiled_while_it_is_proved_is_not_blamed_on_witness_or_device) {
  CoreRig rig(one_slab());
  rig.device.faults.close_gate();
  const auto grant = rig.granted(CoreRig::request(CoreRig::ref(0)));
  rig.write(grant, 5);
  rig.from_worker(CoreRig::checked_commit_of(grant, 4));
  rig.device.faults.open_gate();
  ASSERT_TRUE(rig.wait_sent<wire::PartitionFailed>(1));
  EXPECT_EQ(rig.sent<wire::PartitionFailed>().front().error.code, ErrorCode::conflict);
}

TEST_F(Faults, a_bad_witness_that_nobody_touched_is_still_the_clients) {
  CoreRig rig(one_slab());
  const auto grant = rig.granted(CoreRig::request(CoreRig::ref(0)));
  rig.write(grant, 5);
  rig.from_worker(CoreRig::checked_commit_of(grant, 5));
  ASSERT_TRUE(rig.wait_sent<wire::PartitionFailed>(1));
  EXPECT_EQ(rig.sent<wire::PartitionFailed>().front().error.code, ErrorCode::witness_unsatisfied);
}

TEST_F(Faults, a_backlog_passes_through_an_arena_with_room_for_two) {
  RigOptions options = one_slab();
  options.arena_bytes = 8192;
  CoreRig rig(options);
  for (std::uint32_t next = 0; next < 20;) {
    // Before the question: while it is answered, what fills the arena may already be proved.
    const std::size_t proved = rig.sent<wire::PartitionProved>().size();
    const auto answer = rig.ask(CoreRig::request(CoreRig::ref(next)));
    if (const auto* grant = std::get_if<wire::StageGrant>(&answer)) {
      rig.write(*grant, 4);
      rig.from_worker(CoreRig::checked_commit_of(*grant, 4));
      ++next;
      continue;
    }
    EXPECT_EQ(rig.refusal().error.code, ErrorCode::overloaded);
    EXPECT_TRUE(rig.refusal().retryable);
    ASSERT_TRUE(rig.wait_sent<wire::PartitionProved>(proved + 1));
  }
  ASSERT_TRUE(rig.wait_sent<wire::PartitionProved>(20));
  EXPECT_EQ(rig.used_slabs(), 0u);
}

}  // namespace
}  // namespace penstock::gpu::tests
