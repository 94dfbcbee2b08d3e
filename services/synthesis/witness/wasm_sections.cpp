#include "services/synthesis/witness/wasm_sections.hpp"

#include <cstring>

#include "services/synthesis/witness/wasm_module.hpp"

namespace penstock::synthesis {

Status for_each_section(std::span<const std::byte> wasm, const VisitSection& visit) {
  static constexpr char magic[4] = {'\0', 'a', 's', 'm'};
  if (wasm.size() < 8)
    return Error{ErrorCode::file_truncated, "shorter than a wasm header", "", {}, wasm.size()};
  if (std::memcmp(wasm.data(), magic, 4) != 0)
    return Error{
        ErrorCode::bad_magic, "not a WebAssembly program", "give the .wasm that circom wrote", {}, 0};
  std::uint32_t version = 0;
  std::memcpy(&version, wasm.data() + 4, 4);
  if (version != 1)
    return Error{ErrorCode::unsupported_version, "WebAssembly of another version than 1", "", {}, 4};
  std::size_t position = 8;
  while (position < wasm.size()) {
    WasmReader head(wasm.subspan(position), position);
    const std::uint8_t id = head.byte();
    const std::uint32_t size = head.u32();
    const std::uint64_t payload = head.offset();
    if (!head.ok() || size > head.remaining())
      return Error{ErrorCode::file_truncated,
                   "a section runs past the end of the file",
                   "the file is cut short: copy it again",
                   {},
                   position};
    const std::size_t end = payload + size;
    PENSTOCK_TRY(visit(id, wasm.subspan(position, end - position), wasm.subspan(payload, size), payload));
    position = end;
  }
  return {};
}

std::vector<std::byte> without_custom_sections(std::span<const std::byte> wasm) {
  std::vector<std::byte> kept(wasm.begin(), wasm.begin() + 8);
  static_cast<void>(for_each_section(
      wasm, [&](std::uint8_t id, std::span<const std::byte> section, auto, std::uint64_t) -> Status {
        if (id != 0) kept.insert(kept.end(), section.begin(), section.end());
        return {};
      }));
  return kept;
}

}  // namespace penstock::synthesis
