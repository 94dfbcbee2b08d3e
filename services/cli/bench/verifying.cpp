// verify: one proof alone, and a batch of a hundred under fresh weights, of one key.
#include <fmt/format.h>

#include "common/groth16/host_device.hpp"
#include "common/groth16/prove.hpp"
#include "common/groth16/setup.hpp"
#include "common/groth16/verify.hpp"
#include "services/cli/bench/report.hpp"
#include "services/cli/bench/squarings.hpp"

namespace penstock::cli::bench {
namespace {

constexpr int batch_size = 100;

struct Proofs {
  std::unique_ptr<groth16::PreparedVerifier> verifier;
  std::vector<groth16::ProvedPartition> proved;
};

/// A hundred proofs of one witness: their blinding makes them differ.
Result<Proofs> make_proofs(const Settings& settings) {
  const auto squarings = PENSTOCK_TRY(Squarings::create(settings.curve, settings.log2, Mix::full_width));
  const auto r1cs = PENSTOCK_TRY(circuit::R1cs::open(squarings.r1cs()));
  groth16::SetupOptions options;
  options.threads = settings.threads;
  Proofs proofs;
  const auto verification_key = PENSTOCK_TRY(groth16::setup_insecure_dev(*r1cs, squarings.key(), options));
  proofs.verifier = PENSTOCK_TRY(groth16::prepare_verifier(verification_key));
  const auto device = groth16::make_host_device({.threads = settings.threads});
  const auto key = PENSTOCK_TRY(circuit::ProvingKey::open(squarings.key()));
  const auto circuit = PENSTOCK_TRY(device->load_circuit(key));
  const auto lane = PENSTOCK_TRY(device->open_lane());
  groth16::OsBlindingSource blinding;
  for (int i = 0; i < batch_size; ++i)
    proofs.proved.push_back(
        PENSTOCK_TRY(groth16::prove(*lane, *circuit, *proofs.verifier, squarings.witness(), blinding)));
  return proofs;
}

Result<Measurement> measure(const Settings& settings, std::string variant, int proofs_a_run,
                            const std::function<Status()>& verify) {
  Status outcome;
  Times times = time_runs(settings.runs, [&] {
    if (Status status = verify(); !status.ok()) outcome = std::move(status);
  });
  PENSTOCK_TRY(std::move(outcome));
  return Measurement{.bench = "verify",
                     .curve = settings.curve,
                     .log2 = settings.log2,
                     .variant = std::move(variant),
                     .median_ms = times.median_ms / proofs_a_run,
                     .least_ms = times.least_ms / proofs_a_run,
                     .runs = settings.runs,
                     .correct = true};
}

/// A batch in which two proofs have swapped their A must be refused: the times mean nothing otherwise.
Status expect_refusal(const Proofs& proofs, std::vector<groth16::PreparedVerifier::Item> items, int threads) {
  circuit::AnyProof swapped = *items[0].proof;
  std::visit([&](auto& proof) { proof.a = std::get<std::decay_t<decltype(proof)>>(*items[1].proof).a; },
             swapped);
  items[0].proof = &swapped;
  if (proofs.verifier->verify_batch(items, threads).ok() ||
      proofs.verifier->verify(*items[0].publics, swapped).ok())
    return Error{ErrorCode::internal, "a wrong proof passed"};
  return {};
}

}  // namespace

Result<std::vector<Measurement>> bench_verify(const Settings& settings) {
  const Proofs proofs = PENSTOCK_TRY(make_proofs(settings));
  std::vector<groth16::PreparedVerifier::Item> items;
  for (const auto& proved : proofs.proved) items.push_back({&proved.publics, &proved.proof});
  PENSTOCK_TRY(expect_refusal(proofs, items, settings.threads));
  std::vector<Measurement> rows;
  rows.push_back(PENSTOCK_TRY(measure(settings, "one proof", 1, [&] {
    return proofs.verifier->verify(*items[0].publics, *items[0].proof);
  })));
  rows.push_back(
      PENSTOCK_TRY(measure(settings, fmt::format("a proof of a batch of {}", batch_size), batch_size,
                           [&] { return proofs.verifier->verify_batch(items, settings.threads); })));
  return rows;
}

}  // namespace penstock::cli::bench
