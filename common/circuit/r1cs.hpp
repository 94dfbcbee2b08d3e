// An R1CS (.r1cs version 1), memory-mapped: the constraints a witness must satisfy.
// Limit: as for a key, the file must not be truncated while it is open.
// Errors: formats.md's codes; custom gates (sections 4, 5) are refused (custom_gates).
// Cost: open() walks section 2 once (counts, wire indices, canonical coefficients).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/base/curve_id.hpp"
#include "common/base/result.hpp"
#include "common/base/unaligned.hpp"
#include "common/circuit/mapped_file.hpp"
#include "common/circuit/witness.hpp"

namespace penstock::circuit {

struct R1csShape {
  CurveId curve = CurveId::bn254;
  std::uint32_t wires = 0, public_outputs = 0, public_inputs = 0, private_inputs = 0, constraints = 0;
  std::uint64_t labels = 0;
  [[nodiscard]] std::uint32_t publics() const { return public_outputs + public_inputs; }
};

/// One row of A, B or C: (wire, coefficient) pairs.
struct LinearCombination {
  struct [[gnu::packed]] Term {
    std::uint32_t wire;
    std::uint64_t coefficient[4];  ///< plain, canonical
  };
  UnalignedSpan<Term> terms;
};
static_assert(sizeof(LinearCombination::Term) == 36);

struct Constraint {
  LinearCombination a, b, c;
};

class R1cs {
 public:
  [[nodiscard]] static Result<std::shared_ptr<const R1cs>> open(const std::filesystem::path& path);
  [[nodiscard]] const R1csShape& shape() const { return shape_; }
  [[nodiscard]] Constraint constraint(std::uint32_t index) const;  ///< REQUIRES index < shape().constraints
  [[nodiscard]] std::uint64_t label(
      std::uint32_t wire) const;  ///< wire -> label (section 3), or the wire itself

 private:
  explicit R1cs(MappedFile file) : file_(std::move(file)) {}
  [[nodiscard]] Status parse();

  MappedFile file_;
  R1csShape shape_;
  std::span<const std::byte> constraints_;
  UnalignedSpan<std::uint64_t> labels_;
  std::vector<std::uint64_t> constraint_offsets_;
};

/// Signal names from a .sym file: label -> name. Errors: bad_format with the line.
class SymbolTable {
 public:
  [[nodiscard]] static Result<SymbolTable> open(const std::filesystem::path& path);
  [[nodiscard]] std::string name_of(std::uint64_t label) const;  ///< "label 17" when unknown
  /// All of them, sorted by label.
  [[nodiscard]] const std::vector<std::pair<std::uint64_t, std::string>>& entries() const { return names_; }

 private:
  std::vector<std::pair<std::uint64_t, std::string>> names_;  ///< sorted by label
};

/// Checks every constraint on `threads` cores. The error witness_unsatisfied names the first broken
/// constraint and its signals (never their values); size_mismatch when the wires differ, curve_mismatch when
/// the curves do.
[[nodiscard]] Status check_witness(const R1cs& r1cs, const WitnessView& witness, const SymbolTable* symbols,
                                   int threads);

/// Does the key's section 4 hold exactly this R1CS's A and B (with the public rows)? key_mismatch otherwise.
class ProvingKey;
[[nodiscard]] Status check_key_matches(const ProvingKey& key, const R1cs& r1cs);

}  // namespace penstock::circuit
