#include "common/groth16/msm_plan.hpp"

#include "common/algebra/curves.hpp"

namespace penstock::groth16 {
namespace {

// In field products of the curve. An addition in a tree is 5M + 1S and the share of an inversion; a bucket
// costs two such additions in the reduction; a window the tail of both and its doublings.
constexpr double addition_cost = 7.0;
constexpr double bucket_cost = 14.5;
constexpr double window_cost = 6000.0;

double plan_cost(const BitLengths& lengths, const MsmPlan& plan) {
  double cost = 0;
  for (int window = 0; window < plan.windows; ++window) {
    // A scalar reaches a window when it is longer than the windows below, one bit less for the carry.
    const int bits_below = window == 0 ? 1 : window * plan.window_bits;
    const auto entries = static_cast<double>(lengths.at_least(bits_below));
    cost += entries * addition_cost;
    if (entries > 0) cost += static_cast<double>(plan.buckets()) * bucket_cost + window_cost;
  }
  return cost;
}

}  // namespace

std::uint64_t BitLengths::at_least(int bits) const {
  std::uint64_t sum = 0;
  for (std::size_t i = static_cast<std::size_t>(bits); i < count.size(); ++i) sum += count[i];
  return sum;
}

MsmPlan plan_with_window(int window_bits, int folded_bits) {
  return {window_bits, (folded_bits + window_bits - 1) / window_bits};
}

MsmPlan plan_msm(const BitLengths& lengths, int folded_bits) {
  MsmPlan best = plan_with_window(2, folded_bits);
  double best_cost = plan_cost(lengths, best);
  for (int bits = 3; bits <= max_window_bits; ++bits) {
    const MsmPlan plan = plan_with_window(bits, folded_bits);
    const double cost = plan_cost(lengths, plan);
    if (cost < best_cost) {
      best = plan;
      best_cost = cost;
    }
  }
  return best;
}

int folded_scalar_bits(CurveId curve) {
  // |s| <= r/2 < 2^(bits(r) - 1), and a signed representation needs one bit more.
  return algebra::with_curve(curve, [](auto c) { return decltype(c)::type::Fr::modulus_bits(); });
}

}  // namespace penstock::groth16
