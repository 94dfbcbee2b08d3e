// Slabs filled by chunks: order, spoiled and repeated pieces, windows, resumption.
#include "tests/unit/gpu/core_rig.hpp"

namespace penstock::gpu::tests {
namespace {

constexpr std::uint32_t chunk_bytes = 64;

class Remote : public ::testing::Test {
 protected:
  static RigOptions options() {
    return {.lanes = 1,
            .chunks = {.chunk_bytes = chunk_bytes,
                       .credits = 4,
                       .worker_bytes = 8 * chunk_bytes,
                       .total_bytes = 12 * chunk_bytes}};
  }
  static wire::StageRequest remote(std::uint32_t index, const std::string& worker = "s1") {
    wire::StageRequest request = CoreRig::request(CoreRig::ref(index), 200);
    request.remote = true;
    request.worker = WorkerName(worker);
    request.worker_incarnation = Incarnation("boot");
    return request;
  }
  /// 200 bytes that satisfy the fake circuit.
  static std::vector<std::byte> content() {
    std::vector<std::byte> bytes(200);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(2 * i + 4);
    return bytes;
  }
  static wire::StageChunk chunk_of(const wire::StageGrant& grant, std::uint64_t offset,
                                   std::span<const std::byte> bytes) {
    return {grant.partition, grant.lease, grant.slab_token, offset, checksum_of(bytes)};
  }
  /// Sends the chunk at `offset` and gives the credit that comes back.
  wire::StageCredit send(const wire::StageGrant& grant, std::uint64_t offset) {
    const std::span<const std::byte> all(content_);
    const auto bytes = all.subspan(offset, std::min<std::size_t>(chunk_bytes, all.size() - offset));
    rig_.core().chunk_from_worker("s1/boot", chunk_of(grant, offset, bytes), bytes);
    return credit();
  }
  wire::StageCredit credit() {
    const auto* got = std::get_if<wire::StageCredit>(&rig_.to_worker.back());
    EXPECT_NE(got, nullptr);
    return got == nullptr ? wire::StageCredit{} : *got;
  }
  wire::StageCommit commit_of(const wire::StageGrant& grant) const {
    wire::StageCommit commit = CoreRig::commit_of(grant);
    commit.used_bytes = content_.size();
    commit.digest = checksum_of(content_);
    return commit;
  }
  const std::vector<std::byte> content_ = content();
  CoreRig rig_{options()};
};

TEST_F(Remote, chunks_fill_the_slab_and_each_gives_a_credit_back) {
  const auto grant = rig_.granted(remote(0));
  EXPECT_EQ(grant.chunk_bytes, chunk_bytes);
  EXPECT_EQ(grant.chunk_credits, 4u);
  EXPECT_TRUE(grant.arena_path.empty());
  for (std::uint64_t offset = 0; offset < content_.size(); offset += chunk_bytes) {
    const auto back = send(grant, offset);
    EXPECT_EQ(back.received_bytes, std::min<std::uint64_t>(offset + chunk_bytes, content_.size()));
    EXPECT_FALSE(back.rewind);
  }
  rig_.from_worker(commit_of(grant));
  ASSERT_TRUE(rig_.wait_sent<wire::PartitionProved>(1));
  EXPECT_EQ(rig_.sent<wire::PartitionProved>().front().public_json, "[\n \"4\"\n]");
}

TEST_F(Remote, a_lost_chunk_is_asked_for_again_and_what_came_twice_does_no_harm) {
  const auto grant = rig_.granted(remote(0));
  send(grant, 0);
  EXPECT_TRUE(send(grant, 128).rewind) << "64 is missing";
  EXPECT_EQ(credit().received_bytes, 64u);
  send(grant, 64);
  EXPECT_FALSE(send(grant, 0).rewind);
  EXPECT_EQ(credit().received_bytes, 128u);
  send(grant, 128);
  send(grant, 192);
  rig_.from_worker(commit_of(grant));
  EXPECT_TRUE(rig_.wait_sent<wire::PartitionProved>(1));
}

TEST_F(Remote, a_chunk_that_was_spoiled_on_its_way_is_not_taken) {
  const auto grant = rig_.granted(remote(0));
  const std::span<const std::byte> all(content_);
  auto chunk = chunk_of(grant, 0, all.first(chunk_bytes));
  chunk.checksum ^= 1;
  rig_.core().chunk_from_worker("s1/boot", chunk, all.first(chunk_bytes));
  EXPECT_TRUE(credit().rewind);
  EXPECT_EQ(credit().received_bytes, 0u);
}

TEST_F(Remote, chunks_that_are_too_large_empty_or_leave_the_slab_are_not_taken) {
  const auto grant = rig_.granted(remote(0));
  const std::span<const std::byte> all(content_);
  rig_.core().chunk_from_worker("s1/boot", chunk_of(grant, 0, all.first(chunk_bytes + 8)),
                                all.first(chunk_bytes + 8));
  EXPECT_TRUE(credit().rewind);
  rig_.core().chunk_from_worker("s1/boot", chunk_of(grant, 0, {}), {});
  EXPECT_TRUE(credit().rewind);
  for (std::uint64_t offset = 0; offset < 192; offset += chunk_bytes) send(grant, offset);
  rig_.core().chunk_from_worker("s1/boot", chunk_of(grant, 192, all.first(16)), all.first(16));
  EXPECT_TRUE(credit().rewind) << "8 bytes are left of the 200 that were asked for";
  EXPECT_EQ(credit().received_bytes, 192u);
}

TEST_F(Remote, a_commit_before_everything_arrived_sends_the_worker_back) {
  const auto grant = rig_.granted(remote(0));
  send(grant, 0);
  rig_.from_worker(commit_of(grant));
  EXPECT_TRUE(credit().rewind);
  EXPECT_EQ(credit().received_bytes, 64u);
  EXPECT_EQ(rig_.used_slabs(), 1u);
}

TEST_F(Remote, a_repeated_request_tells_how_much_has_arrived) {
  const auto grant = rig_.granted(remote(0));
  send(grant, 0);
  send(grant, 64);
  const auto again = rig_.granted(remote(0));
  EXPECT_EQ(again.lease, grant.lease);
  EXPECT_EQ(again.received_bytes, 128u);
}

TEST_F(Remote, a_lease_lives_while_chunks_come_and_ends_when_they_stop) {
  const auto grant = rig_.granted(remote(0));
  for (std::uint64_t offset = 0; offset < 192; offset += chunk_bytes) {
    rig_.clock.advance(20s);
    rig_.core().tick();
    EXPECT_FALSE(send(grant, offset).rewind);
  }
  rig_.clock.advance(31s);
  rig_.core().tick();
  EXPECT_EQ(rig_.used_slabs(), 0u);
  const std::span<const std::byte> all(content_);
  rig_.core().chunk_from_worker("s1/boot", chunk_of(grant, 192, all.subspan(192)), all.subspan(192));
  EXPECT_EQ(rig_.refusal().error.code, ErrorCode::conflict);
}

TEST_F(Remote, a_chunk_for_anothers_lease_or_a_shared_slab_is_refused) {
  const auto grant = rig_.granted(remote(0));
  const std::span<const std::byte> bytes = std::span<const std::byte>(content_).first(chunk_bytes);
  auto wrong = chunk_of(grant, 0, bytes);
  wrong.slab_token = FencingToken{99};
  rig_.core().chunk_from_worker("s1/boot", wrong, bytes);
  EXPECT_EQ(rig_.refusal().error.code, ErrorCode::conflict);
  const auto shared = rig_.granted(CoreRig::request(CoreRig::ref(1)));
  rig_.core().chunk_from_worker("s1/boot", chunk_of(shared, 0, bytes), bytes);
  EXPECT_EQ(rig_.refusal().error.code, ErrorCode::conflict);
}

TEST_F(Remote, windows_are_bounded_by_worker_and_in_total_and_given_back) {
  const auto first = rig_.granted(remote(0)), second = rig_.granted(remote(1));
  EXPECT_EQ(first.chunk_credits + second.chunk_credits, 8u);
  rig_.ask(remote(2));
  EXPECT_EQ(rig_.refusal().error.code, ErrorCode::overloaded) << "this worker's share is used up";
  EXPECT_TRUE(rig_.refusal().retryable);
  EXPECT_EQ(rig_.granted(remote(3, "s2")).chunk_credits, 4u);
  rig_.ask(remote(4, "s3"));
  EXPECT_EQ(rig_.refusal().error.code, ErrorCode::overloaded) << "all windows together";
  rig_.from_worker(wire::StageAbandon{first.partition, first.lease});
  EXPECT_EQ(rig_.granted(remote(4, "s3")).chunk_credits, 4u);
  rig_.clock.advance(31s);
  rig_.core().tick();
  EXPECT_EQ(rig_.used_slabs(), 0u);
  EXPECT_EQ(rig_.granted(remote(5)).chunk_credits, 4u);
}

}  // namespace
}  // namespace penstock::gpu::tests
