#include "services/cli/local_prover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/circuit/file_io.hpp"
#include "common/circuit/proof_json.hpp"
#include "common/groth16/prove.hpp"
#include "services/cli/proof_files.hpp"
#include "services/cli/repeats.hpp"

namespace penstock::cli {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::uint64_t max_witness_bytes = std::uint64_t{16} << 30;

double seconds_since(SteadyTime start) {
  return Seconds(SteadyClock::now() - start).count();
}

nlohmann::ordered_json phases_json(const telemetry::PhaseTimes& phases) {
  auto object = nlohmann::ordered_json::object();
  phases.for_each([&](Phase phase, telemetry::Duration spent) {
    object[std::string(name(phase))] = Seconds(spent).count();
  });
  return object;
}

void print_phases(const telemetry::PhaseTimes& phases, Output& output) {
  phases.for_each([&](Phase phase, telemetry::Duration spent) {
    output.line(fmt::format("  {:<12} {:>12}", name(phase), duration_text(Seconds(spent).count())));
  });
}

}  // namespace

Result<LoadedWitness> read_witness(const std::filesystem::path& path) {
  LoadedWitness witness{PENSTOCK_TRY(circuit::read_secret_file(path, max_witness_bytes)), {}};
  auto view = circuit::parse_wtns(witness.bytes.reveal());
  if (!view) return std::move(view).error().in(path.string());
  witness.view = *view;
  return witness;
}

Result<std::unique_ptr<LocalProver>> LocalProver::open(const std::filesystem::path& key_path,
                                                       const gpu::DeviceChoice& choice, Context& context) {
  const auto start = SteadyClock::now();
  Output& output = context.output();
  std::unique_ptr<LocalProver> prover(new LocalProver);
  prover->device_ = PENSTOCK_TRY(gpu::open_device(choice));
  output.progress("opening the key", -1);
  prover->key_ = PENSTOCK_TRY(circuit::ProvingKey::open(key_path));
  output.progress("checking the key's points (once per key)", -1);
  const circuit::KeyCheckCache cache(key_check_folder(context.environment()));
  PENSTOCK_TRY(circuit::check_points(*prover->key_, &cache, choice.threads));
  output.progress("loading the key", -1);
  prover->circuit_ = PENSTOCK_TRY(prover->device_->load_circuit(prover->key_));
  prover->lane_ = PENSTOCK_TRY(prover->device_->open_lane());
  prover->verifier_ = PENSTOCK_TRY(groth16::prepare_verifier(prover->key_->verification_key()));
  prover->load_seconds_ = seconds_since(start);
  if (prover->key_->insecure_dev())
    output.warn(key_path.string() +
                " is an insecure development key: whoever made it can forge proofs; services refuse it");
  return prover;
}

Result<groth16::ProvedPartition> LocalProver::prove(const circuit::WitnessView& witness) {
  return groth16::prove(*lane_, *circuit_, *verifier_, witness, blinding_);
}

Result<ExitStatus> prove_and_write(LocalProver& prover, const circuit::WitnessView& witness,
                                   const ProveRequest& request, Context& context) {
  Output& output = context.output();
  std::vector<double> seconds;
  std::optional<groth16::ProvedPartition> proved;
  for (int i = 0; i < request.repeat; ++i) {
    output.progress("proving", request.repeat > 1 ? static_cast<double>(i) / request.repeat : -1);
    const auto start = SteadyClock::now();
    proved = PENSTOCK_TRY(prover.prove(witness));
    seconds.push_back(seconds_since(start));
  }
  PENSTOCK_TRY(write_proof_files(request.proof_path, request.public_path, circuit::to_json(proved->proof),
                                 circuit::to_json(proved->publics)));
  const double median_seconds = median(seconds);
  const double least_seconds = least(seconds);
  output.line(fmt::format("proved and verified on {}: {} wires, {}, key ready in {}, proof in {}",
                          prover.device().name, prover.shape().variables, name(prover.shape().curve),
                          duration_text(prover.load_seconds()), duration_text(median_seconds)));
  if (request.repeat > 1)
    output.line(fmt::format("{} proofs: median {}, least {}", request.repeat, duration_text(median_seconds),
                            duration_text(least_seconds)));
  if (request.phases || request.repeat > 1) print_phases(proved->phases, output);
  output.object({{"ok", true},
                 {"verified", true},
                 {"curve", name(prover.shape().curve)},
                 {"device", prover.device().name},
                 {"wires", prover.shape().variables},
                 {"publics", prover.shape().publics},
                 {"domain_size", prover.shape().domain_size},
                 {"proof_file", request.proof_path},
                 {"public_file", request.public_path},
                 {"proofs", request.repeat},
                 {"load_seconds", prover.load_seconds()},
                 {"prove_seconds", median_seconds},
                 {"prove_seconds_all", seconds},
                 {"phases", phases_json(proved->phases)}});
  return ExitStatus::done;
}

}  // namespace penstock::cli
