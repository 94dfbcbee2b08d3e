// field, ntt and msm on a CUDA device: cuda/bench measures, this file gives its rows the verb's shape.
#include "cuda/bench/device_bench.hpp"
#include "services/cli/bench/report.hpp"
#include "services/gpu/device_choice.hpp"

namespace penstock::cli::bench::on_device {
namespace {

using DeviceBench = Result<std::vector<cuda::BenchTiming>> (*)(const cuda::BenchRequest&);

Result<std::vector<Measurement>> measure(const Settings& settings, DeviceBench bench) {
  const int ordinal = PENSTOCK_TRY(gpu::cuda_ordinal(settings.device));
  const auto timings = PENSTOCK_TRY(
      bench({.ordinal = ordinal, .curve = settings.curve, .log2 = settings.log2, .runs = settings.runs}));
  std::vector<Measurement> rows;
  for (const auto& timing : timings)
    rows.push_back({.bench = timing.bench,
                    .curve = settings.curve,
                    .log2 = settings.log2,
                    .variant = timing.variant,
                    .median_ms = timing.median_ms,
                    .least_ms = timing.least_ms,
                    .runs = settings.runs,
                    .correct = timing.correct});
  return rows;
}

}  // namespace

Result<std::vector<Measurement>> bench_field(const Settings& settings) {
  return measure(settings, cuda::bench_field);
}
Result<std::vector<Measurement>> bench_ntt(const Settings& settings) {
  return measure(settings, cuda::bench_ntt);
}
Result<std::vector<Measurement>> bench_msm_g1(const Settings& settings) {
  return measure(settings, cuda::bench_msm_g1);
}
Result<std::vector<Measurement>> bench_msm_g2(const Settings& settings) {
  return measure(settings, cuda::bench_msm_g2);
}
Result<std::vector<Measurement>> bench_msm(const Settings& settings) {
  auto rows = PENSTOCK_TRY(on_device::bench_msm_g1(settings));
  const auto more = PENSTOCK_TRY(on_device::bench_msm_g2(settings));
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

}  // namespace penstock::cli::bench::on_device
