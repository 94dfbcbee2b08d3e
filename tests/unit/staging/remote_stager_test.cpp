// Partitions that go over the network: windows, losses at every chunk, arenas out of reach.
#include "common/base/checksum.hpp"
#include "common/staging/stager.hpp"
#include "tests/unit/staging/staging_rig.hpp"

namespace penstock::staging {
namespace {

/// A GPU service that takes chunks, and loses what it is told to.
class ChunkTaker {
 public:
  static constexpr std::uint32_t chunk_bytes = 64, credits = 3;

  std::vector<wire::Message> answer(const wire::Message& message) {
    if (const auto* request = std::get_if<wire::StageRequest>(&message)) {
      ++requests;
      EXPECT_TRUE(request->remote);
      slab_.resize(request->size_bytes);
      return {wire::StageGrant{.partition = request->partition,
                               .lease = lease,
                               .slab_token = FencingToken{lease},
                               .arena_path = {},
                               .offset = 0,
                               .size_bytes = request->size_bytes,
                               .valid_for = std::chrono::seconds(30),
                               .chunk_bytes = chunk_bytes,
                               .chunk_credits = credits,
                               .received_bytes = received}};
    }
    const auto* commit = std::get_if<wire::StageCommit>(&message);
    if (commit == nullptr) return {};
    EXPECT_EQ(commit->used_bytes, received);
    return {wire::StageAccepted{commit->partition, commit->lease}};
  }

  std::vector<wire::Message> take(const wire::StageChunk& chunk, std::span<const std::byte> bytes) {
    ++chunks;
    EXPECT_LE(chunk.offset + bytes.size(), received + std::uint64_t{credits} * chunk_bytes)
        << "beyond the window";
    if (chunks == lose_chunk) return {};
    if (down_from != 0 && chunks >= down_from && requests == 1) return {};
    const bool fits = chunk.offset == received && checksum_of(bytes) == chunk.checksum;
    if (fits) {
      std::copy(bytes.begin(), bytes.end(), slab_.begin() + static_cast<std::ptrdiff_t>(received));
      received += bytes.size();
    }
    if (fits && chunks == lose_credit) return {};
    return {wire::StageCredit{chunk.partition, chunk.lease, received,
                              chunk.offset > received - (fits ? bytes.size() : 0)}};
  }
  [[nodiscard]] const std::vector<std::byte>& slab() const { return slab_; }

  std::uint64_t lease = 5, received = 0;
  int chunks = 0, requests = 0;
  int lose_chunk = 0, lose_credit = 0;
  int down_from = 0;  ///< from this chunk on nothing arrives, until the request is repeated

 private:
  std::vector<std::byte> slab_;
};

class RemoteStager : public ::testing::Test {
 protected:
  RemoteStager() {
    options_.host_id = "this host";
    for (std::size_t i = 0; i < content_.size(); ++i) content_[i] = static_cast<std::byte>(i * 7 + 1);
  }
  std::string stage(ScriptedLink& link, std::stop_token stop = {}) {
    Stager stager(options_, link, arenas_, clock_);
    phases_ = {};
    const auto status = stager.stage(
        task_, 1024,
        [&](std::span<std::byte> to) {
          std::copy(content_.begin(), content_.end(), to.begin());
          return Stager::Written{content_.size(), checksum_of(content_)};
        },
        phases_, std::move(stop));
    return status.ok() ? "accepted" : std::string(name(status.error().code));
  }
  std::string stage_with(ChunkTaker& taker) {
    ScriptedLink link(clock_, [&](const wire::Message& message) { return taker.answer(message); });
    link.on_chunk = [&](const auto& chunk, auto bytes) { return taker.take(chunk, bytes); };
    const std::string outcome = stage(link);
    commits_ = link.all_sent<wire::StageCommit>();
    return outcome;
  }
  std::vector<std::byte> content_ = std::vector<std::byte>(600);
  ManualClock clock_;
  StagerOptions options_;
  Arenas arenas_;
  Parcel task_ = parcel_for("another host");
  telemetry::PhaseTimes phases_;
  std::vector<wire::StageCommit> commits_;
};

TEST_F(RemoteStager, AnotherHostsSlabIsFilledByChunksWithinTheWindow) {
  ChunkTaker taker;
  EXPECT_EQ(stage_with(taker), "accepted");
  EXPECT_EQ(taker.slab(), content_);
  EXPECT_EQ(taker.chunks, 10);
  ASSERT_EQ(commits_.size(), 1u);
  EXPECT_EQ(commits_[0].digest, checksum_of(content_));
  for (const Phase phase : {Phase::slab_wait, Phase::pack, Phase::stage}) EXPECT_TRUE(phases_.get(phase));
}

TEST_F(RemoteStager, AnyLostChunkIsSentAgain) {
  for (int lost = 1; lost <= 10; ++lost) {
    ChunkTaker taker;
    taker.lose_chunk = lost;
    EXPECT_EQ(stage_with(taker), "accepted") << lost;
    EXPECT_EQ(taker.slab(), content_) << lost;
  }
}

TEST_F(RemoteStager, AnyLostCreditIsMadeUpForByTheNext) {
  for (int lost = 1; lost <= 10; ++lost) {
    ChunkTaker taker;
    taker.lose_credit = lost;
    EXPECT_EQ(stage_with(taker), "accepted") << lost;
    EXPECT_EQ(taker.slab(), content_) << lost;
  }
}

TEST_F(RemoteStager, AConnectionCutAtAnyChunkIsResumedWhereItWasCut) {
  for (int cut = 1; cut <= 10; ++cut) {
    ChunkTaker taker;
    taker.down_from = cut;
    EXPECT_EQ(stage_with(taker), "accepted") << cut;
    EXPECT_EQ(taker.slab(), content_) << cut;
    EXPECT_EQ(taker.requests, 2) << cut;
    EXPECT_LE(taker.chunks, 10 + static_cast<int>(ChunkTaker::credits))
        << "only what was on its way went twice";
  }
}

TEST_F(RemoteStager, ALeaseThatEndedIsAskedForAnew) {
  ChunkTaker taker;
  bool refused = false;
  ScriptedLink link(clock_, [&](const wire::Message& message) { return taker.answer(message); });
  link.on_chunk = [&](const wire::StageChunk& chunk,
                      std::span<const std::byte> bytes) -> std::vector<wire::Message> {
    if (chunk.lease != taker.lease) return {};
    if (taker.received < 128 || refused) return taker.take(chunk, bytes);
    refused = true;
    taker.received = 0;
    ++taker.lease;
    return {wire::StageRefused{chunk.partition, {.code = ErrorCode::conflict, .what = "ended"}, true}};
  };
  EXPECT_EQ(stage(link), "accepted");
  EXPECT_EQ(taker.slab(), content_);
  EXPECT_EQ(link.all_sent<wire::StageAbandon>().size(), 1u);
}

TEST_F(RemoteStager, AServiceThatFallsSilentIsNamedAndItsSlabGivenBack) {
  ChunkTaker taker;
  ScriptedLink link(clock_, [&](const wire::Message& message) -> std::vector<wire::Message> {
    if (taker.requests > 0) return {};
    return taker.answer(message);
  });
  link.on_chunk = [](const auto&, auto) { return std::vector<wire::Message>{}; };
  EXPECT_EQ(stage(link), "device_unavailable");
  EXPECT_EQ(link.all_sent<wire::StageAbandon>().size(), 1u);
}

TEST_F(RemoteStager, AGrantWithoutCreditsIsAnOlderServices) {
  ScriptedLink link(clock_, [&](const wire::Message& message) -> std::vector<wire::Message> {
    if (!std::holds_alternative<wire::StageRequest>(message)) return {};
    return {grant_of(task_.partition, 3, "/arena", 0, 4096)};
  });
  EXPECT_EQ(stage(link), "unsupported_version");
}

TEST_F(RemoteStager, AnArenaOutOfReachIsFilledByChunksFromThenOn) {
  task_ = parcel_for("this host");
  ChunkTaker taker;
  int local = 0;
  ScriptedLink link(clock_, [&](const wire::Message& message) -> std::vector<wire::Message> {
    const auto* request = std::get_if<wire::StageRequest>(&message);
    if (request == nullptr || request->remote) return taker.answer(message);
    ++local;
    return {grant_of(task_.partition, 3, "/nowhere/arena", 0, 4096)};
  });
  link.on_chunk = [&](const auto& chunk, auto bytes) { return taker.take(chunk, bytes); };
  EXPECT_EQ(stage(link), "accepted");
  EXPECT_EQ(taker.slab(), content_);
  taker = {};
  EXPECT_EQ(stage(link), "accepted");
  EXPECT_EQ(local, 1) << "it is remembered";
}

/// A service known by its addresses only: it grants slabs of `arena`, which is asked for first.
class StagerByAddress : public RemoteStager {
 protected:
  StagerByAddress() {
    options_.by_address = true;
    task_ = parcel_for("this host");
    link_.on_chunk = [this](const auto& chunk, auto bytes) { return taker_.take(chunk, bytes); };
  }
  std::string stage_anew() {
    taker_ = {};
    return stage(link_);
  }
  [[nodiscard]] bool arena_has_content() const {
    return std::equal(content_.begin(), content_.end(), arena_->memory().begin());
  }
  std::vector<wire::Message> answer(const wire::Message& message) {
    const auto* request = std::get_if<wire::StageRequest>(&message);
    if (request != nullptr && !request->remote)
      return {grant_of(task_.partition, local_lease, path_, 0, 4096)};
    const auto* commit = std::get_if<wire::StageCommit>(&message);
    if (commit != nullptr && commit->lease == local_lease)
      return {wire::StageAccepted{commit->partition, local_lease}};
    return taker_.answer(message);
  }

  static constexpr std::uint64_t local_lease = 3;
  groth16::testing::ScratchFolder folder_;
  const std::filesystem::path path_ = folder_ / "arena";
  std::unique_ptr<wire::ArenaFile> arena_ = wire::ArenaFile::create(path_, 4096).value();
  ChunkTaker taker_;
  ScriptedLink link_{clock_, [this](const wire::Message& message) { return answer(message); }};
};

// Fault: a route with one address of this host was of this host: what another host's service granted was
// written at its offset into this host's arena of the same path.
TEST_F(StagerByAddress, AGrantFromAnotherHostLeavesThisHostsArenaAlone) {
  link_.address = "tcp://10.0.0.5:7000";
  EXPECT_EQ(stage_anew(), "accepted");
  EXPECT_EQ(taker_.slab(), content_);
  EXPECT_FALSE(arena_has_content());
  EXPECT_EQ(link_.all_sent<wire::StageAbandon>().at(0).lease, local_lease);
  link_.address = "ipc:///run/penstock/gpu.ipc";
  EXPECT_EQ(stage_anew(), "accepted");
  EXPECT_EQ(taker_.chunks, 0);
  EXPECT_TRUE(arena_has_content());
}

// Fault: an arena that was missing once, while its service restarted, was never tried again.
TEST_F(StagerByAddress, AnArenaThatWasMissingOnceIsTriedWithTheNextPartition) {
  link_.address = "tcp://127.0.0.1:7000";
  arena_.reset();
  EXPECT_EQ(stage_anew(), "accepted");
  EXPECT_EQ(taker_.slab(), content_);
  arena_ = wire::ArenaFile::create(path_, 4096).value();
  EXPECT_EQ(stage_anew(), "accepted");
  EXPECT_EQ(taker_.chunks, 0);
  EXPECT_TRUE(arena_has_content());
}

}  // namespace
}  // namespace penstock::staging
