// The registered circuits by name, as every thread may ask for them. The ledger holds them durably.
// Shape: names are unique; several names may lead to one circuit. Threads: any.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "services/queue/model.hpp"

namespace penstock::queue {

class CircuitRegistry {
 public:
  [[nodiscard]] std::optional<CircuitRecord> find(const std::string& name) const;
  [[nodiscard]] std::optional<CircuitRecord> find(const CircuitId& id) const;
  [[nodiscard]] std::vector<CircuitRecord> list() const;
  [[nodiscard]] std::size_t size() const;
  /// How many names lead to a circuit.
  [[nodiscard]] std::size_t names_of(const CircuitId& id) const;
  void insert(const CircuitRecord& circuit);
  /// The circuit has symbols from now on, under every name.
  void add_symbols(const CircuitId& id);
  void erase(const std::string& name);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, CircuitRecord> circuits_;  // guarded by mutex_
};

}  // namespace penstock::queue
