// SHA-256 over large byte ranges as a tree of 1 MiB leaves, so that all cores hash one range.
// leaf = SHA-256(0x00 | bytes), range = SHA-256(0x01 | size u64 | leaves' digests). Errors: throws when the
// crypto library cannot hash (a defect). Cost: one read of the range; 32 bytes a leaf.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace penstock::circuit {

using Digest = std::array<std::byte, 32>;
inline constexpr std::size_t hash_leaf_bytes = std::size_t{1} << 20;

[[nodiscard]] Digest tree_digest(std::span<const std::byte> range, int threads);

/// SHA-256 over the parts' bytes in their order.
[[nodiscard]] Digest plain_digest(std::span<const std::span<const std::byte>> parts);

[[nodiscard]] std::string hex_text(const Digest& digest);

}  // namespace penstock::circuit
