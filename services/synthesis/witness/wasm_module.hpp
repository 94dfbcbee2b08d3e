// A look at a .wasm before anything runs or translates it: is it the program circom 2 writes? Only the
// sections that say what goes in and out are read; the code itself is checked by wabt's validator, in the
// child. Errors: bad_magic, unsupported_version, file_truncated, size_mismatch, bad_format; with the offset.
// Cost: linear in the number of declarations, not in the code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/result.hpp"

namespace penstock::synthesis {

inline constexpr std::uint32_t wasm_page_bytes = 65'536;
/// wasm2c keeps a memory's size in 32 bits: 4 GiB itself does not fit.
inline constexpr std::uint32_t max_memory_pages = 65'535;
inline constexpr std::uint32_t max_table_entries = 1'000'000;

struct WasmShape {
  std::uint32_t memory_pages = 0;  ///< allocated at start
  std::uint32_t functions = 0;
  std::uint64_t code_bytes = 0;
};

[[nodiscard]] Result<WasmShape> inspect_circom_wasm(std::span<const std::byte> wasm);

/// The same program without its custom sections (names, debug information): what is translated. Names chosen
/// by somebody else never become C identifiers. REQUIRES inspect_circom_wasm(wasm).ok().
[[nodiscard]] std::vector<std::byte> without_custom_sections(std::span<const std::byte> wasm);

}  // namespace penstock::synthesis
