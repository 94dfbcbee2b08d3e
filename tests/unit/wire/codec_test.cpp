// Every message survives the wire whole, at any alignment, and what would not be legal is refused by name.
#include "common/wire/codec.hpp"

#include <gmock/gmock.h>

#include <cstring>

#include "common/base/sensitive.hpp"
#include "tests/unit/wire/sample_messages.hpp"

namespace penstock::wire {
namespace {

using test::sample_messages;

class EveryMessage : public testing::TestWithParam<std::size_t> {
 protected:
  const Message message_ = sample_messages().at(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Codec, EveryMessage, testing::Range<std::size_t>(0, std::variant_size_v<Message>),
                         [](const auto& one) { return "message_" + std::to_string(one.param); });

// Encoding is deterministic and covers every field, so equal bytes mean equal messages (field by field tests
// below guard against a field that both directions forget).
TEST_P(EveryMessage, survives_a_round_trip) {
  ASSERT_EQ(message_.index(), GetParam());
  const auto bytes = encode(message_);
  const auto decoded = decode(bytes);
  ASSERT_TRUE(decoded.ok()) << to_string(decoded.error());
  EXPECT_EQ(decoded.value().index(), message_.index());
  EXPECT_EQ(encode(decoded.value()), bytes);
}

TEST_P(EveryMessage, is_read_at_any_alignment) {
  const auto bytes = encode(message_);
  for (std::size_t shift = 1; shift < 8; ++shift) {
    std::vector<std::byte> buffer(bytes.size() + shift);
    std::memcpy(buffer.data() + shift, bytes.data(), bytes.size());
    const auto decoded = decode(std::span(buffer).subspan(shift));
    ASSERT_TRUE(decoded.ok()) << to_string(decoded.error());
    EXPECT_EQ(encode(decoded.value()), bytes);
  }
}

template <class T>
T through_the_wire(const T& message) {
  auto decoded = decode(encode(Message(message)));
  return std::get<T>(std::move(decoded).value());
}

template <class T>
T sample() {
  for (auto& message : sample_messages())
    if (auto* found = std::get_if<T>(&message)) return *found;
  throw std::logic_error("no sample");
}

TEST(Codec, keeps_every_field_of_a_hello) {
  const auto sent = sample<Hello>();
  const auto got = through_the_wire(sent);
  EXPECT_EQ(got.protocol, sent.protocol);
  EXPECT_EQ(got.kind, sent.kind);
  EXPECT_EQ(got.name, sent.name);
  EXPECT_EQ(got.incarnation, sent.incarnation);
  EXPECT_EQ(got.version, sent.version);
  EXPECT_EQ(got.pid, sent.pid);
  EXPECT_EQ(got.host_id, sent.host_id);
  EXPECT_EQ(got.credits, sent.credits);
  EXPECT_EQ(got.metrics_address, sent.metrics_address);
  EXPECT_EQ(got.data_endpoints, sent.data_endpoints);
  EXPECT_EQ(got.device, sent.device);
  EXPECT_EQ(got.arena_bytes, sent.arena_bytes);
  EXPECT_EQ(got.allow_insecure_keys, sent.allow_insecure_keys);
}

TEST(Codec, keeps_every_field_of_a_task) {
  const auto sent = sample<SynthesisTask>();
  const auto got = through_the_wire(sent);
  EXPECT_EQ(got.partition.job, sent.partition.job);
  EXPECT_EQ(got.partition.index, sent.partition.index);
  EXPECT_EQ(got.partition.attempt, sent.partition.attempt);
  EXPECT_EQ(got.partition.token, sent.partition.token);
  EXPECT_EQ(got.circuit.id, sent.circuit.id);
  EXPECT_EQ(got.circuit.name, sent.circuit.name);
  EXPECT_EQ(got.circuit.curve, sent.circuit.curve);
  EXPECT_TRUE(got.circuit.has_wasm && got.circuit.has_r1cs && got.circuit.has_sym &&
              got.circuit.insecure_dev);
  EXPECT_EQ(got.circuit.variables, sent.circuit.variables);
  EXPECT_EQ(got.circuit.publics, sent.circuit.publics);
  EXPECT_EQ(got.circuit.domain_size, sent.circuit.domain_size);
  EXPECT_EQ(got.input_kind, sent.input_kind);
  EXPECT_EQ(got.input, sent.input);
  EXPECT_EQ(got.priority, sent.priority);
  EXPECT_EQ(got.deadline_in, sent.deadline_in);
  EXPECT_EQ(got.gpu.name, sent.gpu.name);
  EXPECT_EQ(got.gpu.incarnation, sent.gpu.incarnation);
  EXPECT_EQ(got.gpu.data_endpoints, sent.gpu.data_endpoints);
  EXPECT_EQ(got.gpu.host_id, sent.gpu.host_id);
}

TEST(Codec, keeps_every_field_of_the_staging_conversation) {
  const auto request = sample<StageRequest>();
  const auto request_got = through_the_wire(request);
  EXPECT_EQ(request_got.circuit, request.circuit);
  EXPECT_EQ(request_got.worker, request.worker);
  EXPECT_EQ(request_got.worker_incarnation, request.worker_incarnation);
  EXPECT_EQ(request_got.kind, request.kind);
  EXPECT_EQ(request_got.encoding, request.encoding);
  EXPECT_EQ(request_got.size_bytes, request.size_bytes);
  EXPECT_EQ(request_got.priority, request.priority);
  const auto grant = sample<StageGrant>();
  const auto grant_got = through_the_wire(grant);
  EXPECT_EQ(grant_got.lease, grant.lease);
  EXPECT_EQ(grant_got.slab_token, grant.slab_token);
  EXPECT_EQ(grant_got.arena_path, grant.arena_path);
  EXPECT_EQ(grant_got.offset, grant.offset);
  EXPECT_EQ(grant_got.size_bytes, grant.size_bytes);
  EXPECT_EQ(grant_got.valid_for, grant.valid_for);
  const auto commit = sample<StageCommit>();
  const auto commit_got = through_the_wire(commit);
  EXPECT_EQ(commit_got.used_bytes, commit.used_bytes);
  EXPECT_EQ(commit_got.digest, commit.digest);
  EXPECT_EQ(commit_got.slab_token, commit.slab_token);
}

TEST(Codec, keeps_every_field_of_failures_and_proofs) {
  const auto failed = sample<PartitionFailed>();
  const auto failed_got = through_the_wire(failed);
  EXPECT_EQ(to_string(failed_got.error), to_string(failed.error));
  EXPECT_TRUE(failed_got.retryable);
  EXPECT_EQ(failed_got.phases.get(Phase::witness), failed.phases.get(Phase::witness));
  EXPECT_EQ(failed_got.phases.get(Phase::result), failed.phases.get(Phase::result));
  EXPECT_EQ(failed_got.phases.get(Phase::ntt), std::nullopt);
  const auto proved = sample<PartitionProved>();
  const auto proved_got = through_the_wire(proved);
  EXPECT_EQ(proved_got.proof_json, proved.proof_json);
  EXPECT_EQ(proved_got.public_json, proved.public_json);
  EXPECT_EQ(proved_got.device, proved.device);
}

TEST(Codec, tells_no_deadline_from_a_deadline_of_zero) {
  auto task = sample<SynthesisTask>();
  task.deadline_in.reset();
  EXPECT_EQ(through_the_wire(task).deadline_in, std::nullopt);
  task.deadline_in = std::chrono::milliseconds(-5);  // already past when it was sent
  EXPECT_EQ(through_the_wire(task).deadline_in, std::chrono::milliseconds(0));
}

template <class T, class Change>
ErrorCode refusal(Change change) {
  T message = sample<T>();
  change(message);
  const auto decoded = decode(encode(Message(message)));
  return decoded.ok() ? ErrorCode::internal : decoded.error().code;
}

TEST(Codec, refuses_names_that_could_leave_a_folder) {
  EXPECT_EQ(refusal<Goodbye>([](auto& m) { m.incarnation = Incarnation(""); }), ErrorCode::bad_format);
  EXPECT_EQ(refusal<Hello>([](auto& m) { m.name = WorkerName("../x"); }), ErrorCode::bad_format);
  EXPECT_EQ(refusal<CancelPartition>([](auto& m) { m.partition.job = JobId("a/b"); }), ErrorCode::bad_format);
  EXPECT_EQ(refusal<CircuitOffer>([](auto& m) { m.circuit.name = "a\nb"; }), ErrorCode::bad_format);
  EXPECT_EQ(refusal<CircuitOffer>([](auto& m) { m.circuit.id = CircuitId("../../etc"); }),
            ErrorCode::bad_format);
  EXPECT_EQ(refusal<CircuitWithdrawn>([](auto& m) { m.circuit = CircuitId(std::string(64, 'G')); }),
            ErrorCode::bad_format);
}

TEST(Codec, refuses_enumerators_of_the_future) {
  EXPECT_EQ(refusal<Hello>([](auto& m) { m.kind = static_cast<WorkerKind>(2); }),
            ErrorCode::unsupported_version);
  EXPECT_EQ(refusal<StageRequest>([](auto& m) { m.priority = static_cast<Priority>(4); }),
            ErrorCode::unsupported_version);
  EXPECT_EQ(refusal<PartitionProgress>([](auto& m) { m.stage = static_cast<PartitionStage>(5); }),
            ErrorCode::unsupported_version);
  EXPECT_EQ(refusal<Refused>([](auto& m) { m.error.code = static_cast<ErrorCode>(42); }),
            ErrorCode::unsupported_version);
  EXPECT_EQ(refusal<CircuitOffer>([](auto& m) { m.circuit.curve = static_cast<CurveId>(200); }),
            ErrorCode::unsupported_version);
}

TEST(Codec, refuses_times_and_lists_out_of_bounds) {
  EXPECT_EQ(refusal<Hello>([](auto& m) { m.data_endpoints.assign(17, "tcp://127.0.0.1:1"); }),
            ErrorCode::bad_format);
  EXPECT_EQ(refusal<PartitionStaged>([](auto& m) { m.phases.add(Phase::ntt, telemetry::Duration(-1)); }),
            ErrorCode::bad_format);
  EXPECT_EQ(refusal<Heartbeat>([](auto& m) { m.in_flight.assign(65537, test::sample_partition()); }),
            ErrorCode::bad_format);
}

TEST(Codec, shortens_an_error_text_and_repairs_its_utf8) {
  auto failed = sample<PartitionFailed>();
  failed.error.what = "bad \xFF byte \xC3" + std::string(10000, 'x');
  const auto got = through_the_wire(failed);
  EXPECT_EQ(got.error.what.size(), 4096u);
  EXPECT_THAT(got.error.what, testing::StartsWith("bad ? byte ?xxx"));
}

}  // namespace
}  // namespace penstock::wire
