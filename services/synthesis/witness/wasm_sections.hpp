// Walks the sections of a .wasm. Errors: file_truncated, bad_magic, unsupported_version, and the visitor's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "common/base/result.hpp"
#include "services/synthesis/witness/wasm_reader.hpp"

namespace penstock::synthesis {

/// Sees a section's id, all its bytes, its payload, and the payload's offset in the file.
using VisitSection = std::function<Status(std::uint8_t id, std::span<const std::byte> section,
                                          std::span<const std::byte> payload, std::uint64_t offset)>;

[[nodiscard]] Status for_each_section(std::span<const std::byte> wasm, const VisitSection& visit);

}  // namespace penstock::synthesis
