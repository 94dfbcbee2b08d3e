// Benchmarks of the device's algorithms; every result is checked. No CUDA header is needed to use them; a
// build without CUDA has them too and answers device_unavailable. Method: medians by CUDA events after one
// warm-up; points, tables and scalars resident, random full-width
//   scalars, distinct points. MSM: digits, sort, accumulation and reduction. NTT: natural -> reversed, a
//   graph of 16 transforms over 4 rotating buffers, divided by 16. Field: 2^log2 products in chains of 256.
// Threads: one. Errors: device_unavailable, out_of_memory, bad_domain.
#pragma once

#include <string>
#include <vector>

#include "common/base/curve_id.hpp"
#include "common/base/result.hpp"

namespace penstock::cuda {

struct BenchRequest {
  int ordinal = 0;
  CurveId curve = CurveId::bn254;
  int log2 = 16;
  int runs = 5;
};

struct BenchTiming {
  std::string bench = {}, variant = {};
  double median_ms = 0, least_ms = 0;
  bool correct = false;
};

[[nodiscard]] Result<std::vector<BenchTiming>> bench_field(const BenchRequest& request);
[[nodiscard]] Result<std::vector<BenchTiming>> bench_ntt(const BenchRequest& request);
[[nodiscard]] Result<std::vector<BenchTiming>> bench_msm_g1(const BenchRequest& request);
[[nodiscard]] Result<std::vector<BenchTiming>> bench_msm_g2(const BenchRequest& request);

}  // namespace penstock::cuda
