// The client library for foreign synthesizers over real sockets, towards a GPU service's core.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>

#include "common/staging/partition_client.hpp"
#include "tests/flow/gpu_server.hpp"
#include "tests/support/groth16/scratch_folder.hpp"

namespace penstock::tests {
namespace {

using namespace std::chrono_literals;
using staging::ClientOptions;
using staging::PartitionClient;
using Scalar = std::array<std::uint64_t, 4>;

constexpr auto patience = 60s;

/// Keys of a GPU service and of clients in files, as `penstock keygen` leaves them.
struct KeyFiles {
  KeyFiles() {
    EXPECT_TRUE(wire::write_curve_keys(server, folder / ".", "gpu").ok());
    EXPECT_TRUE(wire::write_curve_keys(listed, folder / ".", "listed").ok());
    EXPECT_TRUE(wire::write_curve_keys(wire::make_curve_keys(), folder / ".", "unlisted").ok());
  }
  [[nodiscard]] Security security() const {
    return {wire::read_curve_keys(folder / "gpu.key").value(), {listed.public_key}};
  }
  [[nodiscard]] ClientOptions options(const std::string& address, const char* key) const {
    return {.endpoints = {address},
            .reach = ClientOptions::Reach::network,
            .key_file = folder / key,
            .server_key = (folder / "gpu.pub").string()};
  }
  groth16::testing::ScratchFolder folder;
  const wire::CurveKeys server = wire::make_curve_keys(), listed = wire::make_curve_keys();
};

ClientOptions plain(const std::string& address) {
  return {.endpoints = {address}, .reach = ClientOptions::Reach::network};
}

/// An even first value satisfies the fake circuit.
Result<staging::Submission> submit(PartitionClient& client, std::uint64_t first_row) {
  const staging::Circuit circuit{GpuServer::circuit_id().text(), CurveId::bn254, 4, 256};
  const std::array<Scalar, 4> witness = {{{1}, {2}, {3}, {4}}};
  const std::array<Scalar, 3> a = {{{first_row}, {1}, {2}}}, b = {{{7}, {0}, {0}}};
  return client.submit(circuit,
                       staging::EvaluatedPartition{std::as_bytes(std::span(a)), std::as_bytes(std::span(b)),
                                                   std::as_bytes(std::span(witness))});
}

TEST(ForeignClient, brings_a_partition_and_its_proof_back) {
  GpuServer server(std::nullopt);
  auto client = PartitionClient::connect(plain(server.address())).value();
  auto submission = submit(client, 4);
  ASSERT_TRUE(submission.ok()) << to_string(submission.error());
  const auto proof = submission->wait(patience);
  ASSERT_TRUE(proof.ok()) << to_string(proof.error());
  EXPECT_NE(proof->public_json.find('4'), std::string::npos) << "the core saw the bytes and their checksum";
  EXPECT_FALSE(proof->phases.empty());
  EXPECT_EQ(submission->wait(patience).error().code, ErrorCode::conflict) << "a proof is given out once";
  EXPECT_EQ(server.results.size(), 0u) << "nothing of it goes to a queue";
}

TEST(ForeignClient, works_under_curve_with_a_listed_key) {
  const KeyFiles keys;
  GpuServer server(keys.security());
  auto client = PartitionClient::connect(keys.options(server.address(), "listed.key")).value();
  auto submission = submit(client, 4);
  ASSERT_TRUE(submission.ok()) << to_string(submission.error());
  EXPECT_TRUE(submission->wait(patience).ok());
}

TEST(ForeignClient, is_told_that_its_key_is_not_listed_or_missing) {
  const KeyFiles keys;
  GpuServer server(keys.security());
  auto unlisted = PartitionClient::connect(keys.options(server.address(), "unlisted.key")).value();
  EXPECT_EQ(submit(unlisted, 4).error().code, ErrorCode::unauthorized);
  auto without = PartitionClient::connect(plain(server.address())).value();
  EXPECT_EQ(submit(without, 4).error().code, ErrorCode::unauthorized);
}

TEST(ForeignClient, refuses_values_that_do_not_fit_the_circuit) {
  auto client = PartitionClient::connect(plain("tcp://127.0.0.1:1")).value();
  const staging::Circuit circuit{GpuServer::circuit_id().text(), CurveId::bn254, 4, 4};
  const std::vector<std::byte> five(5 * 32), four(4 * 32), odd(33);
  using staging::EvaluatedPartition;
  using staging::WitnessPartition;
  EXPECT_EQ(client.submit(circuit, WitnessPartition{five}).error().code, ErrorCode::size_mismatch);
  EXPECT_EQ(client.submit(circuit, WitnessPartition{four}).error().code, ErrorCode::not_canonical)
      << "wire 0";
  EXPECT_EQ(client.submit(circuit, EvaluatedPartition{five, four, four}).error().code,
            ErrorCode::size_mismatch);
  EXPECT_EQ(client.submit(circuit, EvaluatedPartition{four, odd, four}).error().code,
            ErrorCode::size_mismatch);
}

// Fault: added to a time, the longest limits overflowed into the past.
TEST(ForeignClient, waits_as_long_as_it_is_told_to_however_long) {
  using std::chrono::milliseconds;
  GpuServer server(std::nullopt);
  auto options = plain(server.address());
  options.slab_wait_limit = options.silence_limit = milliseconds::max();
  auto client = PartitionClient::connect(options).value();
  server.hold_proofs();
  auto submission = submit(client, 4);
  ASSERT_TRUE(submission.ok()) << to_string(submission.error());
  EXPECT_EQ(submission->wait(milliseconds::min()).error().code, ErrorCode::time_limit);
  server.let_proofs_go();
  const auto proof = submission->wait(milliseconds::max());
  EXPECT_TRUE(proof.ok()) << to_string(proof.error());
}

// Fault: one address of this host was enough to write what another host had granted into an arena here.
TEST(ForeignClient, writes_into_no_arena_here_when_another_hosts_address_answers) {
  const groth16::testing::ScratchFolder folder;
  const auto arena = wire::ArenaFile::create(folder / "arena", std::uint64_t{64} * chunk_bytes).value();
  GpuServer server(std::nullopt, folder / "arena");
  // Loopback too, but not one of the addresses that are known to be of this host.
  const std::string another = "tcp://0.0.0.0" + server.address().substr(server.address().rfind(':'));
  auto client = PartitionClient::connect({.endpoints = {"ipc:///nonexistent/gpu.ipc", another}}).value();
  auto submission = submit(client, 4);
  ASSERT_TRUE(submission.ok()) << to_string(submission.error());
  const auto proof = submission->wait(patience);
  EXPECT_TRUE(proof.ok()) << to_string(proof.error());
  const auto memory = arena->memory();
  EXPECT_TRUE(std::all_of(memory.begin(), memory.end(), [](std::byte b) { return b == std::byte{0}; }));
}

TEST(ForeignClient, a_cancelled_submission_is_over_and_leaves_nothing_behind) {
  GpuServer server(std::nullopt);
  auto client = PartitionClient::connect(plain(server.address())).value();
  server.hold_proofs();
  auto submission = submit(client, 4);
  ASSERT_TRUE(submission.ok()) << to_string(submission.error());
  EXPECT_EQ(submission->wait(0ms).error().code, ErrorCode::time_limit);
  submission->cancel();
  EXPECT_EQ(submission->wait(patience).error().code, ErrorCode::conflict);
  server.let_proofs_go();
  server.wait_idle();
}

TEST(ForeignClient, a_partition_that_the_service_forgot_is_said_to_be_lost) {
  GpuServer server(std::nullopt);
  auto client = PartitionClient::connect(plain(server.address())).value();
  server.hold_proofs();
  auto submission = submit(client, 4);
  ASSERT_TRUE(submission.ok()) << to_string(submission.error());
  server.forget_last();
  const auto proof = submission->wait(patience);
  ASSERT_FALSE(proof.ok());
  EXPECT_EQ(proof.error().code, ErrorCode::conflict);
  EXPECT_NE(proof.error().hint.find("submit it again"), std::string::npos);
}

}  // namespace
}  // namespace penstock::tests
