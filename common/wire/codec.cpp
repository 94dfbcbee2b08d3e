#include "common/wire/codec.hpp"

#include <capnp/message.h>
#include <capnp/serialize.h>
#include <kj/exception.h>

#include <cstring>

#include "common/base/sensitive.hpp"
#include "common/wire/codec_internal.hpp"

namespace penstock::wire {
namespace {

using Builder = schema::Message::Builder;

void put(Builder m, const Hello& v) {
  codec::write(m.initHello(), v);
}
void put(Builder m, const Welcome& v) {
  codec::write(m.initWelcome(), v);
}
void put(Builder m, const Heartbeat& v) {
  codec::write(m.initHeartbeat(), v);
}
void put(Builder m, const Goodbye& v) {
  codec::write(m.initGoodbye(), v);
}
void put(Builder m, const Refused& v) {
  codec::write(m.initRefused(), v);
}
void put(Builder m, const CircuitOffer& v) {
  codec::write(m.initCircuitOffer(), v);
}
void put(Builder m, const CircuitWithdrawn& v) {
  codec::write(m.initCircuitWithdrawn(), v);
}
void put(Builder m, const CancelPartition& v) {
  codec::write(m.initCancelPartition(), v);
}
void put(Builder m, const Drain& v) {
  codec::write(m.initDrain(), v);
}
void put(Builder m, const SynthesisTask& v) {
  codec::write(m.initSynthesisTask(), v);
}
void put(Builder m, const PartitionProgress& v) {
  codec::write(m.initPartitionProgress(), v);
}
void put(Builder m, const PartitionStaged& v) {
  codec::write(m.initPartitionStaged(), v);
}
void put(Builder m, const PartitionFailed& v) {
  codec::write(m.initPartitionFailed(), v);
}
void put(Builder m, const StageRequest& v) {
  codec::write(m.initStageRequest(), v);
}
void put(Builder m, const StageGrant& v) {
  codec::write(m.initStageGrant(), v);
}
void put(Builder m, const StageCommit& v) {
  codec::write(m.initStageCommit(), v);
}
void put(Builder m, const StageAbandon& v) {
  codec::write(m.initStageAbandon(), v);
}
void put(Builder m, const StageAccepted& v) {
  codec::write(m.initStageAccepted(), v);
}
void put(Builder m, const StageRefused& v) {
  codec::write(m.initStageRefused(), v);
}
void put(Builder m, const PartitionProved& v) {
  codec::write(m.initPartitionProved(), v);
}
void put(Builder m, const ResultCommitted& v) {
  codec::write(m.initResultCommitted(), v);
}
void put(Builder m, const StageChunk& v) {
  codec::write(m.initStageChunk(), v);
}
void put(Builder m, const StageCredit& v) {
  codec::write(m.initStageCredit(), v);
}

template <class Reader>
Result<Message> get(Reader reader) {
  return Message(PENSTOCK_TRY(codec::read(reader)));
}

Result<Message> read_envelope(schema::Message::Reader m) {
  using Kind = schema::Message::Which;
  switch (m.which()) {
    case Kind::HELLO:
      return get(m.getHello());
    case Kind::WELCOME:
      return get(m.getWelcome());
    case Kind::HEARTBEAT:
      return get(m.getHeartbeat());
    case Kind::GOODBYE:
      return get(m.getGoodbye());
    case Kind::REFUSED:
      return get(m.getRefused());
    case Kind::CIRCUIT_OFFER:
      return get(m.getCircuitOffer());
    case Kind::CIRCUIT_WITHDRAWN:
      return get(m.getCircuitWithdrawn());
    case Kind::CANCEL_PARTITION:
      return get(m.getCancelPartition());
    case Kind::DRAIN:
      return get(m.getDrain());
    case Kind::SYNTHESIS_TASK:
      return get(m.getSynthesisTask());
    case Kind::PARTITION_PROGRESS:
      return get(m.getPartitionProgress());
    case Kind::PARTITION_STAGED:
      return get(m.getPartitionStaged());
    case Kind::PARTITION_FAILED:
      return get(m.getPartitionFailed());
    case Kind::STAGE_REQUEST:
      return get(m.getStageRequest());
    case Kind::STAGE_GRANT:
      return get(m.getStageGrant());
    case Kind::STAGE_COMMIT:
      return get(m.getStageCommit());
    case Kind::STAGE_ABANDON:
      return get(m.getStageAbandon());
    case Kind::STAGE_ACCEPTED:
      return get(m.getStageAccepted());
    case Kind::STAGE_REFUSED:
      return get(m.getStageRefused());
    case Kind::PARTITION_PROVED:
      return get(m.getPartitionProved());
    case Kind::RESULT_COMMITTED:
      return get(m.getResultCommitted());
    case Kind::STAGE_CHUNK:
      return get(m.getStageChunk());
    case Kind::STAGE_CREDIT:
      return get(m.getStageCredit());
  }
  return Error{.code = ErrorCode::unsupported_version,
               .what = "the message is of a kind that this version does not know"};
}

/// REQUIRES: words.size() > 0. Throws kj::Exception on what is not Cap'n Proto.
Result<Message> decode_words(kj::ArrayPtr<const capnp::word> words) {
  capnp::ReaderOptions options;
  // Every object is visited once: a message that needs more words than it has aims at amplification.
  options.traversalLimitInWords = words.size() + 64;
  options.nestingLimit = 8;
  capnp::FlatArrayMessageReader reader(words, options);
  if (reader.getEnd() != words.end()) return codec::bad("end", "is followed by other bytes");
  return read_envelope(reader.getRoot<schema::Message>());
}

}  // namespace

std::vector<std::byte> encode(const Message& message) {
  capnp::MallocMessageBuilder builder;
  std::visit([&](const auto& value) { put(builder.initRoot<schema::Message>(), value); }, message);
  const auto segments = builder.getSegmentsForOutput();
  kj::Array<capnp::word> words = capnp::messageToFlatArray(segments);
  auto bytes = words.asBytes();
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.begin());
  std::vector<std::byte> out(begin, begin + bytes.size());
  // A task carries its input: neither the builder's memory nor the flat copy may keep it.
  wipe({reinterpret_cast<std::byte*>(bytes.begin()), bytes.size()});
  for (const auto& segment : segments)
    wipe({reinterpret_cast<std::byte*>(const_cast<capnp::word*>(segment.begin())), segment.asBytes().size()});
  return out;
}

Result<Message> decode(std::span<const std::byte> bytes) {
  if (bytes.size() > max_message_bytes)
    return Error{.code = ErrorCode::body_too_large,
                 .what = "a message of " + std::to_string(bytes.size()) + " bytes is too large"};
  if (bytes.empty() || bytes.size() % sizeof(capnp::word) != 0)
    return codec::bad("size", "is not a positive multiple of eight bytes");
  const std::size_t count = bytes.size() / sizeof(capnp::word);
  try {
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(capnp::word) == 0)
      return decode_words({reinterpret_cast<const capnp::word*>(bytes.data()), count});
    auto aligned = kj::heapArray<capnp::word>(count);
    std::memcpy(aligned.begin(), bytes.data(), bytes.size());
    auto message = decode_words(aligned);
    wipe({reinterpret_cast<std::byte*>(aligned.begin()), bytes.size()});
    return message;
  } catch (const kj::Exception& exception) {
    return Error{
        .code = ErrorCode::bad_format,
        .what = "the message is not valid Cap'n Proto: " + codec::clean(exception.getDescription().cStr())};
  }
}

}  // namespace penstock::wire
