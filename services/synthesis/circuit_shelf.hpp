// The circuits that this worker has open: witness program, r1cs and symbols, below CIRCUITS/<id>/.
// Shape: a circuit is opened on first use and kept; the least recently used go beyond a bound.
// Ownership: hands out shared ownership, so that a withdrawn circuit lives as long as somebody computes with
// it. Threads: any. Errors: circuit_unknown (its files are not here), and what the files' readers say.
#pragma once

#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "common/base/result.hpp"
#include "common/circuit/r1cs.hpp"
#include "common/wire/messages.hpp"
#include "services/synthesis/witness/witness_program.hpp"

namespace penstock::synthesis {

class OpenCircuit {
 public:
  OpenCircuit(wire::CircuitRef ref, std::filesystem::path folder)
      : ref_(std::move(ref)), folder_(std::move(folder)) {}

  [[nodiscard]] Result<std::shared_ptr<const WitnessProgram>> program(const ProgramOptions& options);
  /// Null when none is registered.
  [[nodiscard]] Result<std::shared_ptr<const circuit::R1cs>> r1cs();
  /// Only what has failed needs names, so they are read then. Null when none are there or readable: they may
  /// come after the circuit, so that the folder is asked and not the reference.
  [[nodiscard]] const circuit::SymbolTable* symbols();
  [[nodiscard]] const wire::CircuitRef& ref() const { return ref_; }

 private:
  const wire::CircuitRef ref_;
  const std::filesystem::path folder_;
  std::mutex mutex_;
  std::shared_ptr<const WitnessProgram> program_;
  std::shared_ptr<const circuit::R1cs> r1cs_;
  std::optional<circuit::SymbolTable> symbols_;
};

class CircuitShelf {
 public:
  static constexpr std::size_t most_open = 64;
  explicit CircuitShelf(std::filesystem::path circuits) : circuits_(std::move(circuits)) {}

  [[nodiscard]] Result<std::shared_ptr<OpenCircuit>> get(const wire::CircuitRef& ref);
  void forget(const CircuitId& id);

 private:
  const std::filesystem::path circuits_;
  std::mutex mutex_;
  std::list<std::shared_ptr<OpenCircuit>> open_;  ///< most recently used first
};

}  // namespace penstock::synthesis
