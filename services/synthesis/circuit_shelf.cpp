#include "services/synthesis/circuit_shelf.hpp"

#include <algorithm>
#include <system_error>

namespace penstock::synthesis {

Result<std::shared_ptr<const WitnessProgram>> OpenCircuit::program(const ProgramOptions& options) {
  const std::scoped_lock lock(mutex_);
  if (!program_) program_ = PENSTOCK_TRY(WitnessProgram::open(folder_ / "program.wasm", options));
  return program_;
}

Result<std::shared_ptr<const circuit::R1cs>> OpenCircuit::r1cs() {
  const std::scoped_lock lock(mutex_);
  if (!r1cs_ && ref_.has_r1cs) r1cs_ = PENSTOCK_TRY(circuit::R1cs::open(folder_ / "constraints.r1cs"));
  return r1cs_;
}

const circuit::SymbolTable* OpenCircuit::symbols() {
  const std::scoped_lock lock(mutex_);
  if (!symbols_)
    if (auto table = circuit::SymbolTable::open(folder_ / "symbols.sym"); table.ok())
      symbols_ = std::move(table).value();
  return symbols_ ? &*symbols_ : nullptr;
}

Result<std::shared_ptr<OpenCircuit>> CircuitShelf::get(const wire::CircuitRef& ref) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::find_if(open_.begin(), open_.end(),
                                  [&](const auto& circuit) { return circuit->ref().id == ref.id; });
  if (found != open_.end()) {
    open_.splice(open_.begin(), open_, found);
    return open_.front();
  }
  // The id comes from the queue, but it becomes a path: only a path component may.
  const std::filesystem::path folder = circuits_ / ref.id.text();
  std::error_code error;
  if (!is_safe_name(ref.id.text()) || !std::filesystem::is_directory(folder, error))
    return Error{.code = ErrorCode::circuit_unknown,
                 .what = "the files of circuit " + ref.name + " are not on this worker",
                 .hint = "the workers read the queue's circuits folder: check synthesis.circuits",
                 .file = folder.string()};
  open_.push_front(std::make_shared<OpenCircuit>(ref, folder));
  if (open_.size() > most_open) open_.pop_back();
  return open_.front();
}

void CircuitShelf::forget(const CircuitId& id) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(open_, [&](const auto& circuit) { return circuit->ref().id == id; });
}

}  // namespace penstock::synthesis
