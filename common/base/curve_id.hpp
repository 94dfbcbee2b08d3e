// The curves, by name. `bn254` is snarkjs's "bn128", `bls12_381` its "bls12381".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace penstock {

enum class CurveId : std::uint8_t { bn254, bls12_381 };

inline constexpr std::array<std::string_view, 2> curve_names = {"bn254", "bls12_381"};
inline constexpr std::array<std::string_view, 2> snarkjs_curve_names = {"bn128", "bls12381"};

[[nodiscard]] constexpr std::string_view name(CurveId curve) {
  return curve_names[static_cast<std::size_t>(curve)];
}
[[nodiscard]] constexpr std::string_view snarkjs_name(CurveId curve) {
  return snarkjs_curve_names[static_cast<std::size_t>(curve)];
}
/// Accepts both spellings.
[[nodiscard]] constexpr std::optional<CurveId> curve_from(std::string_view label) {
  for (std::size_t i = 0; i < curve_names.size(); ++i)
    if (label == curve_names[i] || label == snarkjs_curve_names[i]) return static_cast<CurveId>(i);
  return std::nullopt;
}

}  // namespace penstock
