// What a service and penstock-witness-runner say to each other over one socket pair, as frames {kind, size} +
// payload in the machine's own byte order (the two are built together and run on one host).
//   child: described -> parent: sizes? -> child: sizes -> ... parent: set* , finish -> child: finished |
//   failed a compile child sends step frames, then finished | failed.
// Security: the child runs somebody else's code, so the parent believes no size, count or text of it
// unchecked.
#pragma once

#include <array>
#include <cstdint>

namespace penstock::synthesis::protocol {

// Descriptors of the child, fixed.
inline constexpr int channel_descriptor = 3;
inline constexpr int witness_descriptor = 4;  ///< run: the witness's shared memory
inline constexpr int program_descriptor = 5;  ///< run: the wasm or the shared object; compile: the wasm

enum class FrameKind : std::uint32_t {
  described = 1,  ///< Description
  sizes,          ///< parent: hashes, u64 each; child: one i32 each, -1 = no such signal
  set,            ///< SetHeader, then values of 32 bytes each
  finish,         ///< write witness_size values into the witness memory
  finished,
  failed,  ///< FailureHeader, then text
  step,    ///< compile: a StepKind as u32
};

struct FrameHeader {
  std::uint32_t kind = 0;
  std::uint32_t size_bytes = 0;  ///< of the payload
};
inline constexpr std::uint32_t max_frame_bytes = 1U << 20;

struct Description {
  std::uint32_t version[3] = {};  ///< circom's: major, minor, patch
  std::uint32_t words = 0;        ///< 32-bit words of a field element
  std::uint32_t witness_size = 0;
  std::uint32_t input_size = 0;
  std::array<std::uint64_t, 4> prime{};  ///< its low 256 bits
};

struct SetHeader {
  std::uint64_t signal = 0;  ///< FNV-1a of its name
  std::uint32_t first = 0;   ///< index of the first value of this frame
  std::uint32_t count = 0;
};
inline constexpr std::uint32_t values_per_set = (max_frame_bytes - sizeof(SetHeader)) / 32;

enum class FailureKind : std::uint32_t {
  exception = 1,  ///< detail = circom's exception code, text = what the program printed
  trap,           ///< text = the trap's name
  memory,         ///< the program asked for more than its limit
  stack,          ///< the call stack is exhausted (the interpreter's is small)
  unusable,       ///< the program cannot be loaded; text says why
  compiler,       ///< compile: wasm2c or the compiler failed; text says why
  no_compiler,    ///< compile: there is none on this machine
};
struct FailureHeader {
  FailureKind kind = FailureKind::trap;
  std::uint32_t detail = 0;
};
inline constexpr std::uint32_t max_failure_text = 4096;

enum class StepKind : std::uint32_t { waiting = 1, translating, compiling, compiled };

/// The hash by which circom names an input signal: FNV-1a, 64 bits.
constexpr std::uint64_t signal_hash(const char* text, std::size_t size) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (std::size_t i = 0; i < size; ++i) {
    hash ^= static_cast<unsigned char>(text[i]);
    hash *= 0x100000001b3U;
  }
  return hash;
}

}  // namespace penstock::synthesis::protocol
