// A witness: the values of all wires, plain (not Montgomery), 32 bytes each, little endian.
// .wtns reading (version 2). Errors: formats.md's codes with the offset: a value >= r is not_canonical, w[0]
// != 1 is
//   not_canonical, trailing bytes in section 2 are size_mismatch.
// Security: a Witness is a secret: it is wiped by its owner, never logged.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "common/base/curve_id.hpp"
#include "common/base/result.hpp"
#include "common/base/sensitive.hpp"
#include "common/base/unaligned.hpp"
#include "common/circuit/mapped_file.hpp"
#include "common/circuit/proof.hpp"

namespace penstock::circuit {

/// A checked view of raw witness values; what the prover consumes.
struct WitnessView {
  CurveId curve = CurveId::bn254;
  UnalignedSpan<Scalar> values;
};

/// Parses .wtns bytes (a file's or a request's) that the caller keeps alive; checks everything.
[[nodiscard]] Result<WitnessView> parse_wtns(std::span<const std::byte> bytes);
/// Checks raw values alone: canonical, w[0] = 1.
[[nodiscard]] Status check_witness_values(const WitnessView& witness);

/// A .wtns file read into memory of our own (a file truncated by somebody else must not crash a prover).
/// Ownership: move-only; wiped on destruction; view() lives as long as the object, moves included.
class Witness {
 public:
  static constexpr std::uint64_t max_file_bytes = std::uint64_t{1} << 38;
  [[nodiscard]] static Result<Witness> read(const std::filesystem::path& path);
  [[nodiscard]] const WitnessView& view() const { return view_; }

 private:
  Witness() = default;
  SensitiveVector<std::byte> bytes_;
  WitnessView view_;
};

/// The file's bytes hold the secret: wipe() them after use.
[[nodiscard]] std::vector<std::byte> to_wtns(const WitnessView& witness);
/// Written with mode 0600, atomically (a temporary beside it, then rename).
[[nodiscard]] Status write_wtns(const std::filesystem::path& path, const WitnessView& witness);

/// The public signals: wires 1..publics. REQUIRES publics < witness.values.size().
[[nodiscard]] PublicSignals publics_of(const WitnessView& witness, std::uint32_t publics);

}  // namespace penstock::circuit
