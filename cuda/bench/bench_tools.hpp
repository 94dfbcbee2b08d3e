// What the device's benchmarks share: timing by events, random values from their index.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

#include "common/circuit/proof.hpp"
#include "common/groth16/thread_team.hpp"
#include "cuda/bench/device_bench.hpp"
#include "cuda/device/device_list.hpp"
#include "cuda/device/device_memory.hpp"

namespace penstock::cuda {

/// Fills median_ms and least_ms: `runs` times after one warm-up, each divided by `repeats`.
inline void time_on(const Stream& stream, int runs, int repeats, BenchTiming& timing,
                    const std::function<void()>& enqueue) {
  const Event begin(Event::Use::timing), end(Event::Use::timing);
  std::vector<double> times;
  for (int run = 0; run <= runs; ++run) {
    stream.record(begin);
    enqueue();
    stream.record(end);
    end.wait_until_reached();
    if (run > 0) times.push_back(end.milliseconds_since(begin) / repeats);
  }
  std::sort(times.begin(), times.end());
  timing.median_ms = times[times.size() / 2];
  timing.least_ms = times.front();
}

/// SplitMix64 of a counter (Steele, Lea, Flood 2014).
inline std::uint64_t random_word(std::uint64_t counter) {
  std::uint64_t z = (counter + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// Full-width scalars below the modulus of Fr.
template <class Fr>
std::vector<circuit::Scalar> random_scalars(groth16::ThreadTeam& team, std::size_t count) {
  const std::uint64_t top = Fr::modulus()[3];
  std::vector<circuit::Scalar> scalars(count);
  team.for_ranges(count, 8192, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t k = 0; k < 4; ++k) scalars[i][k] = random_word(4 * i + k);
      scalars[i][3] %= top;
    }
  });
  return scalars;
}

/// Runs a benchmark on the request's device; a CUDA failure is its error.
template <class Work>
Result<std::vector<BenchTiming>> bench_on(const BenchRequest& request, Work work) {
  try {
    const auto devices = PENSTOCK_TRY(list_devices());
    if (request.ordinal < 0 || static_cast<std::size_t>(request.ordinal) >= devices.size())
      return Error{ErrorCode::device_unavailable,
                   "there is no device cuda:" + std::to_string(request.ordinal)};
    use_device(request.ordinal);
    return work();
  } catch (const CudaError& failure) {
    return failure.to_error();
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::out_of_memory, "not enough host memory for the benchmark's inputs"};
  }
}

}  // namespace penstock::cuda
