#include "common/groth16/msm_scalars.hpp"

#include <algorithm>

#include "common/algebra/curves.hpp"
#include "common/algebra/limbs.hpp"
#include "common/base/sensitive.hpp"

namespace penstock::groth16 {
namespace {

using circuit::Scalar;
constexpr std::size_t smallest_part = 8192;

using algebra::limbs::bit_length;

Scalar difference(const Scalar& a, const Scalar& b, std::uint64_t& borrow) {
  Scalar result;
  borrow = 0;
  for (std::size_t i = 0; i < 4; ++i) result[i] = algebra::limbs::subtract_borrow(a[i], b[i], borrow);
  return result;
}
Scalar difference(const Scalar& a, const Scalar& b) {
  std::uint64_t borrow = 0;
  return difference(a, b, borrow);
}
bool is_less(const Scalar& a, const Scalar& b) {
  std::uint64_t borrow = 0;
  static_cast<void>(difference(a, b, borrow));
  return borrow != 0;
}
Scalar sum(const Scalar& a, const Scalar& b) {
  Scalar result;
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < 4; ++i) result[i] = algebra::limbs::add_carry(a[i], b[i], carry);
  return result;
}

struct Folding {
  Scalar modulus, half;  // half = (r - 1) / 2
  explicit Folding(CurveId curve)
      : modulus(
            algebra::with_curve(curve, [](auto c) -> Scalar { return decltype(c)::type::Fr::modulus(); })) {
    for (std::size_t i = 0; i < 4; ++i) half[i] = modulus[i] >> 1 | (i < 3 ? modulus[i + 1] << 63 : 0);
  }
};

/// The bias of every window but the last.
Scalar bias_of(const MsmPlan& plan) {
  Scalar bias{};
  for (int window = 0; window < plan.windows - 1; ++window) {
    const int bit = window * plan.window_bits + plan.window_bits - 1;
    bias[static_cast<std::size_t>(bit / 64)] |= std::uint64_t{1} << (bit % 64);
  }
  return bias;
}

BitLengths measure(ThreadTeam& team, const Folding& folding, UnalignedSpan<Scalar> scalars) {
  std::vector<BitLengths> per_worker(static_cast<std::size_t>(team.size()));
  const std::size_t pieces = (scalars.size() + smallest_part - 1) / smallest_part;
  team.for_each(pieces, [&](std::size_t piece, int worker) {
    BitLengths& lengths = per_worker[static_cast<std::size_t>(worker)];
    const std::size_t end = std::min((piece + 1) * smallest_part, scalars.size());
    for (std::size_t i = piece * smallest_part; i < end; ++i) {
      const Scalar scalar = scalars[i];
      const Scalar folded = is_less(folding.half, scalar) ? difference(folding.modulus, scalar) : scalar;
      ++lengths.count[static_cast<std::size_t>(bit_length(folded))];
    }
  });
  for (std::size_t i = 1; i < per_worker.size(); ++i) per_worker[0].add(per_worker[i]);
  return per_worker[0];
}

}  // namespace

void MsmScalars::load(ThreadTeam& team, CurveId curve, UnalignedSpan<Scalar> scalars, int window_bits) {
  const BitLengths lengths = measure(team, Folding(curve), scalars);
  nonzero_ = scalars.size() - lengths.count[0];
  const int folded_bits = folded_scalar_bits(curve);
  plan_ = window_bits > 0 ? plan_with_window(window_bits, folded_bits) : plan_msm(lengths, folded_bits);
  bias_ = bias_of(plan_);
  biased_.resize(scalars.size());
  order_.resize(scalars.size());
  // A part costs one histogram per window in the sort: it must stay well above the number of buckets.
  const std::size_t smallest = std::max(smallest_part, 4 * plan_.buckets());
  const std::size_t parts =
      std::clamp<std::size_t>(scalars.size() / smallest, 1, 2 * static_cast<std::size_t>(team.size()));
  parts_.resize(parts);
  team.for_each(parts, [&](std::size_t i, int) {
    parts_[i].begin = scalars.size() * i / parts;
    parts_[i].end = scalars.size() * (i + 1) / parts;
    classify(parts_[i], scalars, curve);
  });
}

void MsmScalars::classify(Part& part, UnalignedSpan<Scalar> scalars, CurveId curve) {
  const Folding folding(curve);
  part.wide_end = part.begin;
  part.narrow_begin = part.end;
  for (std::size_t i = part.begin; i < part.end; ++i) {
    const Scalar scalar = scalars[i];
    const bool is_negative = is_less(folding.half, scalar);
    const int bits = bit_length(is_negative ? difference(folding.modulus, scalar) : scalar);
    if (bits == 0) continue;
    biased_[i] = sum(is_negative ? difference(scalar, folding.modulus) : scalar, bias_);
    // -2^(c-1) <= s < 2^(c-1) is one digit; the boundary cases may go with the wide ones.
    const bool is_narrow = bits < plan_.window_bits || plan_.windows == 1;
    order_[is_narrow ? --part.narrow_begin : part.wide_end++] = static_cast<std::uint32_t>(i);
  }
}

}  // namespace penstock::groth16
