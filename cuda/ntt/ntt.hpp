// Number-theoretic transforms on the device, in place, over both scalar fields.
// Shape: `data` holds `polynomials` transforms of 2^log2n elements one after another, Montgomery form.
// Order: natural -> bit-reversed by decimation in frequency, bit-reversed -> natural by decimation in time: a
// pair of
//   transforms never permutes. No transform divides by N: the caller folds 1/N where it costs nothing.
// Threads and streams: enqueues on the stream, does not synchronise. Errors: CudaError from a launch.
// Cost: N/2·log2n products; per pass one read and one write of the data; the table is read about once a pass.
#pragma once

#include <cstdint>

#include "cuda/device/device_memory.hpp"

namespace penstock::ntt {

enum class Transform : std::uint8_t {
  forward,        ///< natural -> reversed, evaluation on the domain
  inverse,        ///< natural -> reversed, N times the coefficients
  coset_forward,  ///< reversed -> natural, evaluation on the coset w·domain
};

/// The first 2^log2n powers of w, a primitive 2^(log2n+1)-th root. REQUIRES log2n < the field's two-adicity.
/// Enqueues; `table` holds 2^log2n elements.
template <class Fr>
void make_twiddles(const cuda::Stream& stream, Fr* table, int log2n, const Fr& w);

/// What the twiddles are powers of: w, which a domain of the field's full two-adicity does not have (2^28 on
/// BN254), or the domain's root, 2^(log2n-1) of them, by make_twiddles(…, log2n - 1, root).
enum class Table : std::uint8_t { of_twice_the_order, of_the_domain };

/// Enqueues one transform of each polynomial. REQUIRES a table of_twice_the_order for coset_forward.
template <class Fr>
void transform(const cuda::Stream& stream, Transform kind, Fr* data, const Fr* twiddles, int log2n,
               int polynomials, Table table = Table::of_twice_the_order);

}  // namespace penstock::ntt
