#include "services/synthesis/witness/runner/session.hpp"

#include <sys/mman.h>

#include <cstring>
#include <vector>

#include "services/synthesis/witness/runner/channel.hpp"

namespace penstock::synthesis::runner {
namespace {

using protocol::FailureKind;
using protocol::FrameKind;

constexpr std::uint32_t value_bytes = 32;

std::uint32_t high(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash >> 32);
}
std::uint32_t low(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash);
}

class Session {
 public:
  explicit Session(Engine& engine) : engine_(engine) {}

  void describe() {
    engine_.instantiate();
    protocol::Description description;
    description.version[0] = engine_.version();
    description.version[1] = engine_.minor_version();
    description.version[2] = engine_.patch_version();
    description.words = engine_.field_words();
    shared_ = engine_.shared_memory_start();
    if (description.words * 4 == value_bytes) {
      engine_.raw_prime();
      std::memcpy(description.prime.data(), shared_value().data(), value_bytes);
      description.witness_size = witness_size_ = engine_.witness_size();
      description.input_size = engine_.input_size();
      // Sanity checks on: they are the asserts of the circuit.
      engine_.init(1);
    }
    write_frame(FrameKind::described, std::as_bytes(std::span(&description, 1)));
  }

  void sizes(const Frame& frame) {
    std::vector<std::int32_t> answer(frame.payload.size() / sizeof(std::uint64_t));
    for (std::size_t i = 0; i < answer.size(); ++i) {
      std::uint64_t hash = 0;
      std::memcpy(&hash, frame.payload.data() + i * sizeof(hash), sizeof(hash));
      answer[i] = engine_.input_signal_size(high(hash), low(hash));
    }
    write_frame(FrameKind::sizes, std::as_bytes(std::span(answer)));
  }

  void set(const Frame& frame) {
    protocol::SetHeader header;
    if (frame.payload.size() < sizeof(header)) leave(1);
    std::memcpy(&header, frame.payload.data(), sizeof(header));
    if (frame.payload.size() != sizeof(header) + std::uint64_t{header.count} * value_bytes) leave(1);
    for (std::uint32_t i = 0; i < header.count; ++i) {
      std::memcpy(shared_value().data(), frame.payload.data() + sizeof(header) + i * value_bytes,
                  value_bytes);
      engine_.set_input_signal(high(header.signal), low(header.signal), header.first + i);
    }
  }

  /// The service has given the witness memory its size meanwhile.
  [[noreturn]] void finish() {
    const std::size_t size_bytes = std::size_t{witness_size_} * value_bytes;
    void* memory =
        ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, protocol::witness_descriptor, 0);
    if (memory == MAP_FAILED) fail(FailureKind::memory, 0, "");
    auto* out = static_cast<std::byte*>(memory);
    for (std::uint32_t i = 0; i < witness_size_; ++i) {
      engine_.get_witness(i);
      std::memcpy(out + std::size_t{i} * value_bytes, shared_value().data(), value_bytes);
    }
    write_frame(FrameKind::finished, {});
    leave(0);
  }

 private:
  /// Where the program exchanges field elements: little-endian 32-bit words in its own memory.
  std::span<std::byte> shared_value() {
    const LinearMemory memory = engine_.memory();
    if (std::uint64_t{shared_} + value_bytes > memory.size_bytes)
      fail(FailureKind::trap, 0, "the shared memory lies outside the program's memory");
    return {memory.data + shared_, value_bytes};
  }

  Engine& engine_;
  std::uint32_t shared_ = 0, witness_size_ = 0;
};

}  // namespace

void serve(Engine& engine) {
  Session session(engine);
  session.describe();
  for (;;) {
    const Frame frame = read_frame();
    switch (frame.kind) {
      case FrameKind::sizes:
        session.sizes(frame);
        break;
      case FrameKind::set:
        session.set(frame);
        break;
      case FrameKind::finish:
        session.finish();
      default:
        leave(1);
    }
  }
}

}  // namespace penstock::synthesis::runner
