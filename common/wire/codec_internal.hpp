// The codec's inside: one write/read pair per struct. Included by codec*.cpp only (it pulls in Cap'n Proto).
#pragma once

#include <capnp/list.h>

#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/wire/messages.hpp"
#include "schemas/message.capnp.h"

namespace penstock::wire::codec {

inline constexpr std::size_t max_text_bytes = 4096;  ///< of an error's texts, addresses, versions
inline constexpr std::size_t max_list_length = 65536;
inline constexpr std::size_t max_endpoints = 16;
inline constexpr std::uint64_t max_milliseconds = std::uint64_t{10} * 366 * 86400 * 1000;

[[nodiscard]] Error bad(std::string_view field, std::string_view why);
/// The enumerator, or unsupported_version: `last` is the last one this version knows.
template <class Enum, class Wire>
[[nodiscard]] Result<Enum> enumerator(Wire value, Enum last, std::string_view field) {
  if (static_cast<unsigned>(value) > static_cast<unsigned>(last))
    return Error{.code = ErrorCode::unsupported_version,
                 .what = "the message's " + std::string(field) + " has a value this version does not know"};
  return static_cast<Enum>(value);
}
template <class Wire, class Enum>
[[nodiscard]] Wire to_wire(Enum value) {
  return static_cast<Wire>(static_cast<std::uint16_t>(value));
}

[[nodiscard]] capnp::Text::Reader text_of(std::string_view text);
/// At most max_text_bytes, valid UTF-8 (what is not becomes '?').
[[nodiscard]] std::string clean(std::string_view text);
[[nodiscard]] Result<std::string> text(capnp::Text::Reader reader, std::string_view field);
[[nodiscard]] Result<std::string> safe_name(capnp::Text::Reader reader, std::string_view field);
[[nodiscard]] Result<CircuitId> circuit_id(capnp::Text::Reader reader);
[[nodiscard]] Result<std::chrono::milliseconds> milliseconds(std::uint64_t count, std::string_view field);
[[nodiscard]] std::uint64_t to_count(std::chrono::milliseconds time);
[[nodiscard]] Result<std::vector<std::string>> endpoints(capnp::List<capnp::Text>::Reader list);
void write_endpoints(capnp::List<capnp::Text>::Builder list, const std::vector<std::string>& endpoints);

[[nodiscard]] Result<PartitionRef> read(schema::PartitionRef::Reader reader);
void write(schema::PartitionRef::Builder builder, const PartitionRef& value);
[[nodiscard]] Result<CircuitRef> read(schema::CircuitRef::Reader reader);
void write(schema::CircuitRef::Builder builder, const CircuitRef& value);
/// Into `out`: a Result cannot hold an Error as its value.
[[nodiscard]] Status read_error(schema::Error::Reader reader, Error& out);
void write(schema::Error::Builder builder, const Error& value);
[[nodiscard]] Result<telemetry::PhaseTimes> read(capnp::List<schema::PhaseTime>::Reader list);
[[nodiscard]] unsigned phase_times_count(const telemetry::PhaseTimes& times);
void write(capnp::List<schema::PhaseTime>::Builder list, const telemetry::PhaseTimes& times);

// control
Result<Hello> read(schema::Hello::Reader reader);
void write(schema::Hello::Builder builder, const Hello& value);
Result<Welcome> read(schema::Welcome::Reader reader);
void write(schema::Welcome::Builder builder, const Welcome& value);
Result<Heartbeat> read(schema::Heartbeat::Reader reader);
void write(schema::Heartbeat::Builder builder, const Heartbeat& value);
Result<Goodbye> read(schema::Goodbye::Reader reader);
void write(schema::Goodbye::Builder builder, const Goodbye& value);
Result<Refused> read(schema::Refused::Reader reader);
void write(schema::Refused::Builder builder, const Refused& value);
Result<CircuitOffer> read(schema::CircuitOffer::Reader reader);
void write(schema::CircuitOffer::Builder builder, const CircuitOffer& value);
Result<CircuitWithdrawn> read(schema::CircuitWithdrawn::Reader reader);
void write(schema::CircuitWithdrawn::Builder builder, const CircuitWithdrawn& value);
Result<CancelPartition> read(schema::CancelPartition::Reader reader);
void write(schema::CancelPartition::Builder builder, const CancelPartition& value);
Result<Drain> read(schema::Drain::Reader reader);
void write(schema::Drain::Builder builder, const Drain& value);
// task
Result<SynthesisTask> read(schema::SynthesisTask::Reader reader);
void write(schema::SynthesisTask::Builder builder, const SynthesisTask& value);
Result<PartitionProgress> read(schema::PartitionProgress::Reader reader);
void write(schema::PartitionProgress::Builder builder, const PartitionProgress& value);
Result<PartitionStaged> read(schema::PartitionStaged::Reader reader);
void write(schema::PartitionStaged::Builder builder, const PartitionStaged& value);
Result<PartitionFailed> read(schema::PartitionFailed::Reader reader);
void write(schema::PartitionFailed::Builder builder, const PartitionFailed& value);
// staging
Result<StageRequest> read(schema::StageRequest::Reader reader);
void write(schema::StageRequest::Builder builder, const StageRequest& value);
Result<StageGrant> read(schema::StageGrant::Reader reader);
void write(schema::StageGrant::Builder builder, const StageGrant& value);
Result<StageCommit> read(schema::StageCommit::Reader reader);
void write(schema::StageCommit::Builder builder, const StageCommit& value);
Result<StageAbandon> read(schema::StageAbandon::Reader reader);
void write(schema::StageAbandon::Builder builder, const StageAbandon& value);
Result<StageAccepted> read(schema::StageAccepted::Reader reader);
void write(schema::StageAccepted::Builder builder, const StageAccepted& value);
Result<StageRefused> read(schema::StageRefused::Reader reader);
void write(schema::StageRefused::Builder builder, const StageRefused& value);
Result<StageChunk> read(schema::StageChunk::Reader reader);
void write(schema::StageChunk::Builder builder, const StageChunk& value);
Result<StageCredit> read(schema::StageCredit::Reader reader);
void write(schema::StageCredit::Builder builder, const StageCredit& value);
// result
Result<PartitionProved> read(schema::PartitionProved::Reader reader);
void write(schema::PartitionProved::Builder builder, const PartitionProved& value);
Result<ResultCommitted> read(schema::ResultCommitted::Reader reader);
void write(schema::ResultCommitted::Builder builder, const ResultCommitted& value);

}  // namespace penstock::wire::codec
