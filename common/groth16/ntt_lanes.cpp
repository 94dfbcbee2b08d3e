#include "common/groth16/ntt_lanes.hpp"

#if PENSTOCK_LANES

#include "common/algebra/lanes_memory.hpp"

namespace penstock::groth16::ntt {
namespace {

using namespace algebra::lanes;

template <class F>
using Value = Lanes<typename F::Params>;
template <class F>
using Twiddle = Factor<typename F::Params>;

template <class F>
const std::byte* bytes_of(const F* x) {
  return reinterpret_cast<const std::byte*>(x);
}

/// Eight values, `stride` elements apart.
template <class F>
PENSTOCK_LANE_CALL Value<F> load_values(const F* x, std::size_t stride) {
  const std::byte* const base = bytes_of(x);
  const std::size_t step = stride * sizeof(F);
  Sources from = {base,
                  base + step,
                  base + 2 * step,
                  base + 3 * step,
                  base + 4 * step,
                  base + 5 * step,
                  base + 6 * step,
                  base + 7 * step};
  return load<typename F::Params>(from);
}
template <class F>
PENSTOCK_LANE_CALL void store_values(F* x, std::size_t stride, const Value<F>& value) {
  std::byte* const base = reinterpret_cast<std::byte*>(x);
  const std::size_t step = stride * sizeof(F);
  Targets to = {base,
                base + step,
                base + 2 * step,
                base + 3 * step,
                base + 4 * step,
                base + 5 * step,
                base + 6 * step,
                base + 7 * step};
  store<typename F::Params>(to, value);
}
/// Neighbouring twiddles, or one for all lanes.
template <class F>
PENSTOCK_LANE_CALL Twiddle<F> load_twiddles(const F* w) {
  const std::byte* const base = bytes_of(w);
  Sources from = {base,
                  base + sizeof(F),
                  base + 2 * sizeof(F),
                  base + 3 * sizeof(F),
                  base + 4 * sizeof(F),
                  base + 5 * sizeof(F),
                  base + 6 * sizeof(F),
                  base + 7 * sizeof(F)};
  return load_factor<typename F::Params>(from);
}
template <class F>
PENSTOCK_LANE_CALL Twiddle<F> spread_twiddle(const F& w) {
  return factor_from_words<typename F::Params>(
      {{constant(w.limb[0]), constant(w.limb[1]), constant(w.limb[2]), constant(w.limb[3])}});
}

/// Bounds of sums are written as [k]: the value is in [0, k p). A product with a twiddle is [2] for a factor
/// up to [2], [3] for one up to [4] (p < 2^255.9 / 2).
template <class F>
PENSTOCK_LANE_CALL void frequency_butterfly(F* x, std::size_t quarter, std::size_t stride,
                                            const Twiddle<F>& outer, const Twiddle<F>& outer_next,
                                            const Twiddle<F>& inner) {
  const Value<F> a = load_values(x, stride), b = load_values(x + quarter, stride);
  const Value<F> c = load_values(x + 2 * quarter, stride), d = load_values(x + 3 * quarter, stride);
  const Value<F> difference_ac = loose_product(settled(loose_difference<1>(a, c)), outer);       // [2]
  const Value<F> difference_bd = loose_product(settled(loose_difference<1>(b, d)), outer_next);  // [2]
  const Value<F> sum_ac = loose_sum(a, c), sum_bd = loose_sum(b, d);                             // [2]
  store_values(x, stride, canonical(loose_sum(sum_ac, sum_bd)));
  store_values(x + quarter, stride,
               canonical(loose_product(settled(loose_difference<2>(sum_ac, sum_bd)), inner)));
  store_values(x + 2 * quarter, stride, canonical(loose_sum(difference_ac, difference_bd)));
  store_values(x + 3 * quarter, stride,
               canonical(loose_product(settled(loose_difference<2>(difference_ac, difference_bd)), inner)));
}

template <class F>
PENSTOCK_LANE_CALL void time_butterfly(F* x, std::size_t quarter, std::size_t stride, const Twiddle<F>& outer,
                                       const Twiddle<F>& outer_next, const Twiddle<F>& inner) {
  const Value<F> b = loose_product(load_values(x + quarter, stride), inner);      // [2]
  const Value<F> d = loose_product(load_values(x + 3 * quarter, stride), inner);  // [2]
  const Value<F> a = load_values(x, stride), c = load_values(x + 2 * quarter, stride);
  const Value<F> c_twisted = loose_product(settled(loose_sum(c, d)), outer);                 // [3]
  const Value<F> d_twisted = loose_product(settled(loose_difference<2>(c, d)), outer_next);  // [3]
  const Value<F> sum_ab = loose_sum(a, b), difference_ab = loose_difference<2>(a, b);        // [3]
  store_values(x, stride, canonical(loose_sum(sum_ab, c_twisted)));
  store_values(x + 2 * quarter, stride, canonical(loose_difference<3>(sum_ab, c_twisted)));
  store_values(x + quarter, stride, canonical(loose_sum(difference_ab, d_twisted)));
  store_values(x + 3 * quarter, stride, canonical(loose_difference<3>(difference_ab, d_twisted)));
}

/// The last two frequency stages of blocks of 4: their twiddles are 1, 1, 1 and the square root of -1.
template <class F>
PENSTOCK_LANE_CALL void frequency_last(F* x, const Twiddle<F>& root) {
  const Value<F> a = load_values(x, 4), b = load_values(x + 1, 4);
  const Value<F> c = load_values(x + 2, 4), d = load_values(x + 3, 4);
  const Value<F> difference_bd = loose_product(settled(loose_difference<1>(b, d)), root);  // [2]
  const Value<F> sum_ac = loose_sum(a, c), sum_bd = loose_sum(b, d);                       // [2]
  const Value<F> difference_ac = loose_difference<1>(a, c);                                // [2]
  store_values(x, 4, canonical(loose_sum(sum_ac, sum_bd)));
  store_values(x + 1, 4, canonical(loose_difference<2>(sum_ac, sum_bd)));
  store_values(x + 2, 4, canonical(loose_sum(difference_ac, difference_bd)));
  store_values(x + 3, 4, canonical(loose_difference<2>(difference_ac, difference_bd)));
}

}  // namespace

template <class F>
PENSTOCK_LANE_CODE void LanePasses<F>::frequency_along(F* x, std::size_t quarter, const F* table,
                                                       std::size_t begin, std::size_t end) {
  const F* outer = table + 2 * quarter;
  for (std::size_t j = begin; j < end; j += lane_count)
    frequency_butterfly(x + j, quarter, 1, load_twiddles(outer + j), load_twiddles(outer + quarter + j),
                        load_twiddles(table + quarter + j));
}

template <class F>
PENSTOCK_LANE_CODE void LanePasses<F>::time_along(F* x, std::size_t quarter, const F* table,
                                                  std::size_t begin, std::size_t end) {
  const F* outer = table + 2 * quarter;
  for (std::size_t j = begin; j < end; j += lane_count)
    time_butterfly(x + j, quarter, 1, load_twiddles(outer + j), load_twiddles(outer + quarter + j),
                   load_twiddles(table + quarter + j));
}

template <class F>
PENSTOCK_LANE_CODE void LanePasses<F>::frequency_across(F* x, std::size_t n, std::size_t quarter,
                                                        const F* table) {
  const std::size_t size = 4 * quarter;
  for (std::size_t j = 0; j < quarter; ++j) {
    const Twiddle<F> outer = spread_twiddle(table[2 * quarter + j]);
    const Twiddle<F> outer_next = spread_twiddle(table[3 * quarter + j]);
    const Twiddle<F> inner = spread_twiddle(table[quarter + j]);
    for (std::size_t block = 0; block < n; block += lane_count * size)
      if (quarter == 1)
        frequency_last(x + block, outer_next);
      else
        frequency_butterfly(x + block + j, quarter, size, outer, outer_next, inner);
  }
}

template <class F>
PENSTOCK_LANE_CODE void LanePasses<F>::time_across(F* x, std::size_t n, std::size_t quarter, const F* table) {
  const std::size_t size = 4 * quarter;
  for (std::size_t j = 0; j < quarter; ++j) {
    const Twiddle<F> outer = spread_twiddle(table[2 * quarter + j]);
    const Twiddle<F> outer_next = spread_twiddle(table[3 * quarter + j]);
    const Twiddle<F> inner = spread_twiddle(table[quarter + j]);
    for (std::size_t block = 0; block < n; block += lane_count * size)
      time_butterfly(x + block + j, quarter, size, outer, outer_next, inner);
  }
}

template <class F>
PENSTOCK_LANE_CODE void LanePasses<F>::frequency_pairs(F* x, std::size_t n) {
  for (std::size_t block = 0; block < n; block += 2 * lane_count) {
    const Value<F> a = load_values(x + block, 2), b = load_values(x + block + 1, 2);
    store_values(x + block, 2, canonical(loose_sum(a, b)));
    store_values(x + block + 1, 2, canonical(loose_difference<1>(a, b)));
  }
}

template <class F>
PENSTOCK_LANE_CODE void LanePasses<F>::time_pairs(F* x, std::size_t n, const F* table) {
  const Twiddle<F> twiddle = spread_twiddle(table[1]);
  for (std::size_t block = 0; block < n; block += 2 * lane_count) {
    const Value<F> a = load_values(x + block, 2);
    const Value<F> b = loose_product(load_values(x + block + 1, 2), twiddle);  // [2]
    store_values(x + block, 2, canonical(loose_sum(a, b)));
    store_values(x + block + 1, 2, canonical(loose_difference<2>(a, b)));
  }
}

template struct LanePasses<algebra::Bn254::Fr>;
template struct LanePasses<algebra::Bls12_381::Fr>;

}  // namespace penstock::groth16::ntt

#endif
