// prove and setup on any device, with the circuit of squarings.
#include <fmt/format.h>

#include <thread>

#include "common/circuit/packed_witness.hpp"
#include "common/groth16/setup.hpp"
#include "common/groth16/verify.hpp"
#include "services/cli/bench/report.hpp"
#include "services/cli/bench/squarings.hpp"
#include "services/gpu/device_choice.hpp"

namespace penstock::cli::bench {
namespace {

Measurement measurement(const char* bench, const Settings& settings, std::string variant,
                        const Times& times) {
  return {.bench = bench,
          .curve = settings.curve,
          .log2 = settings.log2,
          .variant = std::move(variant),
          .median_ms = times.median_ms,
          .least_ms = times.least_ms,
          .runs = settings.runs,
          .correct = true};
}

Result<circuit::AnyVerificationKey> make_key(const Squarings& squarings, const Settings& settings) {
  const auto r1cs = PENSTOCK_TRY(circuit::R1cs::open(squarings.r1cs()));
  groth16::SetupOptions options;
  options.threads = settings.threads;
  const auto multiplier = PENSTOCK_TRY(gpu::open_multiplier({settings.device, settings.threads}));
  options.multiplier = multiplier.get();
  return groth16::setup_insecure_dev(*r1cs, squarings.key(), options);
}

/// The packed witness in memory that the device has pinned; it dies after the device.
std::vector<std::byte> packed(const Squarings& squarings) {
  std::vector<std::byte> bytes(circuit::packed_size_bound(squarings.witness().values.size()));
  bytes.resize(circuit::pack_witness(squarings.witness(), bytes));
  return bytes;
}

/// From packed witness to verified proof.
Result<telemetry::PhaseTimes> prove_once(groth16::ProvingLane& lane, const groth16::ResidentCircuit& circuit,
                                         const groth16::PreparedVerifier& verifier,
                                         std::span<const std::byte> witness) {
  groth16::OsBlindingSource blinding;
  PENSTOCK_TRY(lane.stage(circuit, {.encoding = groth16::Encoding::packed, .bytes = witness}));
  PENSTOCK_TRY(lane.prove_start(blinding.draw(circuit.shape().curve)));
  groth16::ProvedPartition proved = PENSTOCK_TRY(lane.prove_finish());
  {
    const telemetry::PhaseScope scope(proved.phases, Phase::verify);
    PENSTOCK_TRY(verifier.verify(proved.publics, proved.proof));
  }
  return proved.phases;
}

struct Bench {
  std::vector<std::byte> witness;
  std::unique_ptr<groth16::ProvingDevice> device;
  std::shared_ptr<const groth16::ResidentCircuit> circuit;
  std::unique_ptr<groth16::PreparedVerifier> verifier;
};

Result<Measurement> one_lane(const Bench& bench, const Settings& settings, const std::string& mix) {
  const auto lane = PENSTOCK_TRY(bench.device->open_lane());
  Status outcome;
  telemetry::PhaseTimes phases;
  const auto times = time_runs(settings.runs, [&] {
    const auto proved = prove_once(*lane, *bench.circuit, *bench.verifier, bench.witness);
    if (proved)
      phases = *proved;
    else
      outcome = proved.error();
  });
  PENSTOCK_TRY(std::move(outcome));
  Measurement result = measurement("prove", settings, "squarings, " + mix, times);
  result.phases = phases;
  return result;
}

/// Milliseconds a proof while two lanes prove at once.
Result<Measurement> two_lanes(const Bench& bench, const Settings& settings, const std::string& mix) {
  const std::unique_ptr<groth16::ProvingLane> lanes[2] = {PENSTOCK_TRY(bench.device->open_lane()),
                                                          PENSTOCK_TRY(bench.device->open_lane())};
  Status outcomes[2];
  const auto work = [&](int lane) {
    for (int run = 0; run < settings.runs; ++run) {
      const auto proved = prove_once(*lanes[lane], *bench.circuit, *bench.verifier, bench.witness);
      if (!proved) outcomes[lane] = proved.error();
    }
  };
  Times times = time_runs(1, [&] { const std::jthread first(work, 0), second(work, 1); });
  for (Status& outcome : outcomes) PENSTOCK_TRY(std::move(outcome));
  times.median_ms = times.least_ms = times.median_ms / (2 * settings.runs);
  return measurement("prove", settings, "squarings, " + mix + ", a proof of two lanes", times);
}

Status bench_mix(const Settings& settings, Mix mix, std::vector<Measurement>& rows) {
  std::string label = mix == Mix::full_width ? "full-width" : "98 % bits";
  if (settings.host_tables_mib != 0 && settings.device == "cpu")
    label += fmt::format(", tables within {} MiB", settings.host_tables_mib);
  const auto squarings = PENSTOCK_TRY(Squarings::create(settings.curve, settings.log2, mix));
  const auto verification_key = PENSTOCK_TRY(make_key(squarings, settings));
  Bench bench;
  bench.witness = packed(squarings);
  bench.device = PENSTOCK_TRY(
      gpu::open_device({.name = settings.device,
                        .threads = settings.threads,
                        .host_table_bytes = static_cast<std::uint64_t>(settings.host_tables_mib) << 20}));
  PENSTOCK_TRY(bench.device->pin_memory(bench.witness));
  const auto key = PENSTOCK_TRY(circuit::ProvingKey::open(squarings.key()));
  bench.circuit = PENSTOCK_TRY(bench.device->load_circuit(key));
  bench.verifier = PENSTOCK_TRY(groth16::prepare_verifier(verification_key));
  rows.push_back(PENSTOCK_TRY(one_lane(bench, settings, label)));
  if (settings.device != "cpu") rows.push_back(PENSTOCK_TRY(two_lanes(bench, settings, label)));
  return {};
}

}  // namespace

Result<std::vector<Measurement>> bench_setup(const Settings& settings) {
  const auto squarings = PENSTOCK_TRY(Squarings::create(settings.curve, settings.log2, Mix::full_width));
  Status outcome;
  const auto times = time_runs(settings.runs, [&] {
    const auto key = make_key(squarings, settings);
    if (!key) outcome = key.error();
  });
  PENSTOCK_TRY(std::move(outcome));
  const auto key = PENSTOCK_TRY(circuit::ProvingKey::open(squarings.key()));
  PENSTOCK_TRY(circuit::check_points(*key, nullptr, settings.threads));
  return std::vector<Measurement>{measurement("setup", settings, "squarings, insecure-dev", times)};
}

Result<std::vector<Measurement>> bench_prove(const Settings& settings) {
  std::vector<Measurement> rows;
  if (settings.mix != "bits") PENSTOCK_TRY(bench_mix(settings, Mix::full_width, rows));
  if (settings.mix != "full-width") PENSTOCK_TRY(bench_mix(settings, Mix::boolean_heavy, rows));
  return rows;
}

}  // namespace penstock::cli::bench
