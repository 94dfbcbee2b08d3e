// A foreign synthesizer in a page: it makes the values of one partition itself, has them proved by a GPU
// service, and writes proof.json and public.json in snarkjs's form.
//
//   foreign_prover ENDPOINT CIRCUIT_ID witness|evaluated OUT_FOLDER [KEY_FILE SERVER_KEY]
//
// ENDPOINT: of the GPU service ("endpoints" in DATA/run/gpu-0.json); ipc:// and loopback share its memory.
// CIRCUIT_ID: penstock circuit show mul --json. The last two: under CURVE (penstock keygen).
// The circuit is the one constraint c = a * b on BN254, as circom writes it: (-a) * b = -c.
#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

#include "common/staging/partition_client.hpp"

namespace staging = penstock::staging;

using Scalar = std::array<std::uint64_t, 4>;  // plain, the lowest limb first

constexpr Scalar order = {0x43e1f593f0000001, 0x2833e84879b97091, 0xb85045b68181585d, 0x30644e72e131a029};
constexpr Scalar plus(std::uint64_t x) {
  return {x, 0, 0, 0};
}
constexpr Scalar minus(std::uint64_t x) {
  return {order[0] - x, order[1], order[2], order[3]};
}

int fail(const penstock::Error& error) {
  std::fprintf(stderr, "foreign_prover: %s\n", to_string(error).c_str());
  return 1;
}

int main(int argc, char** argv) {
  if (argc != 5 && argc != 7) {
    std::fprintf(stderr,
                 "foreign_prover ENDPOINT CIRCUIT_ID witness|evaluated OUT_FOLDER [KEY_FILE SERVER_KEY]\n");
    return 2;
  }
  staging::ClientOptions options;
  options.endpoints = {argv[1]};
  if (argc == 7) {
    options.key_file = argv[5];
    options.server_key = argv[6];
    options.reach = staging::ClientOptions::Reach::network;  // as from another host
  }
  auto client = staging::PartitionClient::connect(options);
  if (!client) return fail(client.error());

  const staging::Circuit circuit{argv[2], penstock::CurveId::bn254, /*variables=*/4, /*domain_size=*/4};
  const std::array<Scalar, 4> witness = {plus(1), plus(33), plus(3), plus(11)};  // 1, c, a, b
  // The constraint's row, then one for the constant and one for the public wire c.
  const std::array<Scalar, 3> a = {minus(3), plus(1), plus(33)}, b = {plus(11), plus(0), plus(0)};
  const auto bytes = [](const auto& values) { return std::as_bytes(std::span(values)); };

  auto submission =
      argv[3] == std::string("evaluated")
          ? client->submit(circuit, staging::EvaluatedPartition{bytes(a), bytes(b), bytes(witness)})
          : client->submit(circuit, staging::WitnessPartition{bytes(witness)});
  if (!submission) return fail(submission.error());
  const auto proof = submission->wait(std::chrono::seconds(60));
  if (!proof) return fail(proof.error());

  const std::string folder = argv[4];
  std::ofstream(folder + "/proof.json") << proof->proof_json;
  std::ofstream(folder + "/public.json") << proof->public_json;
  std::printf("proved on %s\n", proof->device.c_str());
  for (const auto& [phase, spent] : proof->phases)
    std::printf("  %-12s %8.3f ms\n", phase.c_str(), static_cast<double>(spent.count()) / 1e6);
  return 0;
}
