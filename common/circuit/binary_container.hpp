// The container that .zkey, .wtns and .r1cs share: magic, version, then typed sections in any order.
// Shape: views into the caller's bytes, in the file's order; unknown section types are kept (the reader skips
// them). Errors: file_truncated, bad_magic, unsupported_version, count_out_of_range (more sections than the
// limit),
//   section_duplicate, section_missing, size_mismatch (bytes after the last section). All with the offset.
// Cost: one step a section; allocates only what the bytes really hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/circuit/byte_cursor.hpp"

namespace penstock::circuit {

/// What a format's files begin with.
struct ContainerKind {
  std::string_view magic;  ///< 4 characters, also the format's name
  std::uint32_t version;
};
inline constexpr ContainerKind zkey_kind{"zkey", 1};
inline constexpr ContainerKind wtns_kind{"wtns", 2};
inline constexpr ContainerKind r1cs_kind{"r1cs", 1};

/// snarkjs writes 10 sections at most; the rest is room for other writers' additions.
inline constexpr std::uint32_t max_sections = 256;

struct Section {
  std::uint32_t type = 0;
  std::uint64_t offset = 0;  ///< of the payload, in the file
  std::span<const std::byte> bytes;

  /// A cursor over the payload; running past its end is size_mismatch.
  [[nodiscard]] ByteCursor cursor() const;
};

class BinaryContainer {
 public:
  [[nodiscard]] static Result<BinaryContainer> parse(std::span<const std::byte> bytes,
                                                     const ContainerKind& kind);

  [[nodiscard]] const Section* find(std::uint32_t type) const;      ///< nullptr when absent
  [[nodiscard]] Result<Section> require(std::uint32_t type) const;  ///< section_missing when absent
  [[nodiscard]] std::span<const Section> sections() const { return sections_; }

 private:
  std::vector<Section> sections_;
};

/// The section must hold exactly count * record_bytes (checked without overflow): size_mismatch otherwise.
[[nodiscard]] Status expect_records(const Section& section, std::uint64_t count, std::uint64_t record_bytes);

}  // namespace penstock::circuit
