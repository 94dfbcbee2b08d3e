// For synthesizers of your own: brings partitions to a GPU service of Penstock and their proofs back. The
// library leases memory in the service's arena and copies your values there, or, where the arena is out of
// reach (another host, a container beside it), sends them in checksummed chunks and resumes after a lost
// connection; it repeats what is lost, waits while the arena is full, and lets go of what you no longer want.
// Shape: a client per GPU service, a submission per proof. example/foreign_prover.cpp is a whole program.
// Ownership: values are yours and are read during submit() only; a Submission may outlive its client.
// Threads: client and submissions may be used from any, one thread a submission at a time.
// Errors: unauthorized (keys), circuit_unknown, size_mismatch, body_too_large, conflict (the service lost it:
// submit again), overloaded, draining, device_unavailable (no answer), time_limit (wait() again), cancelled;
// of the proof: not_canonical, witness_unsatisfied, and what a device can meet.
// Cost: one copy of the values and one pass for their checksum; witness partitions are packed instead, 30 to
// 200 times smaller. submit() blocks until the service has the partition: that is the back-pressure.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/base/curve_id.hpp"
#include "common/base/result.hpp"

namespace penstock::staging {

struct ClientOptions {
  std::vector<std::string> endpoints;  ///< of one GPU service, best first: ipc://PATH, tcp://HOST:PORT
  std::string name = "foreign";        ///< of this client, in logs: letters, digits, '_', '.', '-'
  /// The arena is tried where the address in use is of this host; `network` never tries.
  enum class Reach : std::uint8_t { automatic, network } reach = Reach::automatic;
  std::string key_file = {};    ///< NAME.key of `penstock keygen`; empty: plain sockets
  std::string server_key = {};  ///< the GPU service's public key, or its NAME.pub
  std::chrono::milliseconds slab_wait_limit{600'000};  ///< the longest wait for room in the arena
  std::chrono::milliseconds silence_limit{90'000};     ///< longer than the service takes to load a circuit
};

/// A circuit that the service's queue has registered: `penstock circuit show NAME --json` tells these.
struct Circuit {
  std::string id;  ///< 64 hex digits
  CurveId curve = CurveId::bn254;
  std::uint32_t variables = 0, domain_size = 0;
};

/// Values are plain scalars below r, 32 bytes each, little endian.
/// All `variables` wires, the constant 1 first. The device computes A*w and B*w.
struct WitnessPartition {
  std::span<const std::byte> witness;
};
/// Rows of A*w and B*w: the constraints in order, then one row for the constant and each public wire (a: the
/// wire's value, b: 0), up to domain_size; missing rows are zero. c is not sent: it is a*b where the witness
/// satisfies the circuit.
struct EvaluatedPartition {
  std::span<const std::byte> a, b, witness;
};

struct Proof {
  std::string proof_json, public_json;  ///< snarkjs's; verified by the service before they left it
  std::string device;
  std::vector<std::pair<std::string, std::chrono::nanoseconds>> phases;
};

class Submission {
 public:
  Submission(Submission&&) noexcept;
  Submission& operator=(Submission&&) noexcept;
  /// Cancels what is not finished.
  ~Submission();
  /// The proof, once; afterwards conflict. A year at most.
  [[nodiscard]] Result<Proof> wait(std::chrono::milliseconds longest);
  /// What the service holds of it is released; a proof in work is finished and thrown away.
  void cancel();

 private:
  friend class PartitionClient;
  struct State;
  explicit Submission(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

class PartitionClient {
 public:
  /// Does not wait for the service. Errors: bad_request, and what the key files' reader says.
  [[nodiscard]] static Result<PartitionClient> connect(const ClientOptions& options);
  PartitionClient(PartitionClient&&) noexcept;
  PartitionClient& operator=(PartitionClient&&) noexcept;
  ~PartitionClient();

  [[nodiscard]] Result<Submission> submit(const Circuit& circuit, const WitnessPartition& partition);
  [[nodiscard]] Result<Submission> submit(const Circuit& circuit, const EvaluatedPartition& partition);

 private:
  friend class Submission;
  struct Connection;
  explicit PartitionClient(std::shared_ptr<Connection> connection);
  std::shared_ptr<Connection> connection_;
};

}  // namespace penstock::staging
