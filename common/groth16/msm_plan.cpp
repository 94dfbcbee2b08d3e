#include "common/groth16/msm_plan.hpp"

#include <algorithm>
#include <cmath>

#include "common/algebra/curves.hpp"
#include "common/algebra/lanes_path.hpp"

namespace penstock::groth16 {
namespace {

// In field products of the curve, one by one. Batched: a tree's additions are 5M + 1S and a share of an
// inversion, a bucket costs two of them in the reduction, whose segments balance inversions against XYZZ
// additions (bucket_reduction.hpp).
struct BatchCosts {
  double entry, bucket, root_of_buckets, window;
};
constexpr BatchCosts scalar_costs = {7.7, 15.2, 2 * 58.3, 400.0};
/// Eight additions at a time: the gather of the points weighs as much as the sums. Inversions stay as dear,
/// but windows reduce together.
constexpr BatchCosts lane_costs = {2.3, 4.0, 35.0, 700.0};

double batched_window_cost(double entries, double buckets) {
  const BatchCosts& costs = algebra::active_lanes() == algebra::LanePath::ifma ? lane_costs : scalar_costs;
  return costs.entry * entries + costs.bucket * buckets + costs.root_of_buckets * std::sqrt(buckets) +
         costs.window;
}
/// More at a time gave no speed: entries, and the buckets of as many windows.
constexpr std::uint64_t entries_per_thread = std::uint64_t{1} << 18;

// XYZZ: 8M + 2S an entry; the two running sums skip what is still infinity, about half when buckets are
// sparse.
double serial_window_cost(double entries, double buckets) {
  return 11.5 * entries + 24.0 * buckets + 20.0;
}

double plan_cost(const BitLengths& lengths, const MsmPlan& plan) {
  double cost = 0;
  for (int window = 0; window < plan.windows; ++window) {
    // A scalar reaches a window when it is longer than the windows below, one bit less for the carry.
    const int bits_below = window == 0 ? 1 : window * plan.window_bits;
    const auto entries = static_cast<double>(lengths.at_least(bits_below));
    const auto buckets = static_cast<double>(plan.buckets());
    if (entries > 0)
      cost += std::min(batched_window_cost(entries, buckets), serial_window_cost(entries, buckets));
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

int windows_per_build(int threads, std::uint64_t entries_per_window, int windows) {
  const std::uint64_t most = entries_per_thread * static_cast<std::uint64_t>(threads);
  const std::uint64_t fitting = most / std::max<std::uint64_t>(entries_per_window, 1);
  return static_cast<int>(std::clamp<std::uint64_t>(fitting, 1, static_cast<std::uint64_t>(windows)));
}

std::optional<MsmPlan> plan_table(std::uint64_t scalars, int folded_bits, int threads) {
  const auto n = static_cast<double>(scalars);
  const auto plain_cost = [&](const MsmPlan& plan) {
    return plan.windows * batched_window_cost(n, static_cast<double>(plan.buckets()));
  };
  const auto table_cost = [&](const MsmPlan& plan) {
    const int step = windows_per_build(threads, scalars, plan.windows);
    const int builds = (plan.windows + step - 1) / step;
    return builds * batched_window_cost(n * plan.windows / builds, static_cast<double>(plan.buckets()));
  };
  MsmPlan plain = plan_with_window(2, folded_bits), table = plain;
  for (int bits = 3; bits <= max_window_bits; ++bits) {
    const MsmPlan plan = plan_with_window(bits, folded_bits);
    if (plain_cost(plan) < plain_cost(plain)) plain = plan;
    if (table_cost(plan) < table_cost(table)) table = plan;
  }
  // A table's points come from further away than the query's own (README decision 14).
  constexpr double worth_its_memory = 0.9;
  if (table_cost(table) > worth_its_memory * plain_cost(plain)) return std::nullopt;
  return table;
}

bool is_cheaper_serially(std::uint64_t entries, std::size_t buckets) {
  const auto e = static_cast<double>(entries), b = static_cast<double>(buckets);
  return serial_window_cost(e, b) < batched_window_cost(e, b);
}

int folded_scalar_bits(CurveId curve) {
  // |s| <= r/2 < 2^(bits(r) - 1), and a signed representation needs one bit more.
  return algebra::with_curve(curve, [](auto c) { return decltype(c)::type::Fr::modulus_bits(); });
}

}  // namespace penstock::groth16
