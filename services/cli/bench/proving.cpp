// prove and setup on the host device, with the circuit of squarings.
#include <fmt/format.h>

#include "common/groth16/host_device.hpp"
#include "common/groth16/prove.hpp"
#include "common/groth16/setup.hpp"
#include "services/cli/bench/report.hpp"
#include "services/cli/bench/squarings.hpp"

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
  return groth16::setup_insecure_dev(*r1cs, squarings.key(), options);
}

}  // namespace

Result<std::vector<Measurement>> bench_setup(const Settings& settings) {
  const auto squarings = PENSTOCK_TRY(Squarings::create(settings.curve, settings.log2));
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
  const auto squarings = PENSTOCK_TRY(Squarings::create(settings.curve, settings.log2));
  const auto verification_key = PENSTOCK_TRY(make_key(squarings, settings));
  const auto key = PENSTOCK_TRY(circuit::ProvingKey::open(squarings.key()));
  const auto device = groth16::make_host_device({.threads = settings.threads});
  const auto circuit = PENSTOCK_TRY(device->load_circuit(key));
  const auto lane = PENSTOCK_TRY(device->open_lane());
  const auto verifier = PENSTOCK_TRY(groth16::prepare_verifier(verification_key));
  groth16::OsBlindingSource blinding;
  Status outcome;
  const auto times = time_runs(settings.runs, [&] {
    const auto proved = groth16::prove(*lane, *circuit, *verifier, squarings.witness(), blinding);
    if (!proved) outcome = proved.error();
  });
  PENSTOCK_TRY(std::move(outcome));
  return std::vector<Measurement>{measurement("prove", settings, "squarings, key resident, verified", times)};
}

}  // namespace penstock::cli::bench
