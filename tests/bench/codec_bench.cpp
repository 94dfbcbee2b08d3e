// The packed-witness codec: bytes of raw witness a second, on one core, for witnesses of different make.
// `ratio` is raw over packed. Run: penstock_codec_bench --benchmark_format=json
#include <benchmark/benchmark.h>

#include <random>
#include <stdexcept>
#include <vector>

#include "common/circuit/packed_witness.hpp"

namespace {

using namespace penstock;
using circuit::Scalar;

constexpr std::size_t wires = std::size_t{1} << 20;  // 32 MiB raw: beyond the caches, as a slab is

struct Kind {
  double full, small;
  int small_bits;
};
// bits only | 2 % full | 10 % full, 40 % below 2^32 | half full | all full
constexpr Kind kinds[] = {{0, 0, 0}, {0.02, 0, 0}, {0.1, 0.4, 32}, {0.5, 0, 0}, {1, 0, 0}};

std::vector<Scalar> witness_of(const Kind& kind) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> share(0, 1);
  std::vector<Scalar> values(wires);
  for (auto& value : values) {
    const double draw = share(random);
    if (draw < kind.full)
      value = {random(), random(), random(), random() >> 4};
    else if (draw < kind.full + kind.small)
      value = {random() >> (64 - kind.small_bits), 0, 0, 0};
    else
      value = {random() & 1, 0, 0, 0};
  }
  values[0] = {1, 0, 0, 0};
  return values;
}

void report(benchmark::State& state, std::size_t packed_bytes) {
  constexpr double raw_bytes = static_cast<double>(wires * sizeof(Scalar));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(raw_bytes));
  state.counters["ratio"] = raw_bytes / static_cast<double>(packed_bytes);
}

void pack(benchmark::State& state) {
  const auto values = witness_of(kinds[state.range(0)]);
  std::vector<std::byte> packed(circuit::packed_size_bound(wires));
  std::size_t size = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(size = circuit::pack_witness({CurveId::bn254, std::span(values)}, packed));
  report(state, size);
}
BENCHMARK(pack)->ArgName("kind")->DenseRange(0, std::size(kinds) - 1)->Unit(benchmark::kMillisecond);

void unpack(benchmark::State& state) {
  const auto values = witness_of(kinds[state.range(0)]);
  std::vector<std::byte> packed(circuit::packed_size_bound(wires));
  packed.resize(circuit::pack_witness({CurveId::bn254, std::span(values)}, packed));
  std::vector<Scalar> out(wires);
  for (auto _ : state)
    if (!circuit::unpack_witness(packed, out).ok())
      throw std::logic_error("the codec refuses its own output");
  report(state, packed.size());
}
BENCHMARK(unpack)->ArgName("kind")->DenseRange(0, std::size(kinds) - 1)->Unit(benchmark::kMillisecond);

}  // namespace
