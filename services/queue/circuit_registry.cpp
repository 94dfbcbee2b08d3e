#include "services/queue/circuit_registry.hpp"

#include <algorithm>

namespace penstock::queue {

std::optional<CircuitRecord> CircuitRegistry::find(const std::string& name) const {
  const std::lock_guard hold(mutex_);
  const auto found = circuits_.find(name);
  if (found == circuits_.end()) return std::nullopt;
  return found->second;
}

std::optional<CircuitRecord> CircuitRegistry::find(const CircuitId& id) const {
  const std::lock_guard hold(mutex_);
  for (const auto& [name, circuit] : circuits_)
    if (circuit.ref.id == id) return circuit;
  return std::nullopt;
}

std::vector<CircuitRecord> CircuitRegistry::list() const {
  const std::lock_guard hold(mutex_);
  std::vector<CircuitRecord> all;
  all.reserve(circuits_.size());
  for (const auto& [name, circuit] : circuits_) all.push_back(circuit);
  return all;
}

std::size_t CircuitRegistry::size() const {
  const std::lock_guard hold(mutex_);
  return circuits_.size();
}

std::size_t CircuitRegistry::names_of(const CircuitId& id) const {
  const std::lock_guard hold(mutex_);
  return static_cast<std::size_t>(std::count_if(
      circuits_.begin(), circuits_.end(), [&](const auto& entry) { return entry.second.ref.id == id; }));
}

void CircuitRegistry::insert(const CircuitRecord& circuit) {
  const std::lock_guard hold(mutex_);
  circuits_[circuit.ref.name] = circuit;
}

void CircuitRegistry::add_symbols(const CircuitId& id) {
  const std::lock_guard hold(mutex_);
  for (auto& [name, circuit] : circuits_)
    if (circuit.ref.id == id) circuit.ref.has_sym = true;
}

void CircuitRegistry::erase(const std::string& name) {
  const std::lock_guard hold(mutex_);
  circuits_.erase(name);
}

}  // namespace penstock::queue
