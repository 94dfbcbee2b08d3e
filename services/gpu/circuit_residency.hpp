// Which circuits are known, loading and resident, within a budget of device memory: loaded on first use or on
// request, the least recently used idle one evicted first.
// Ownership: owns the loading thread; holds one reference to each resident circuit. Threads: everything is
// called on the message loop's thread; `load` runs on the loading thread, one circuit at a time.
// Errors: circuit_unknown, insecure_key; a loader's error goes to on_failed.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "common/telemetry/idle_ledger.hpp"
#include "common/telemetry/metrics.hpp"
#include "services/gpu/loaded_circuit.hpp"

namespace penstock::gpu {

struct ResidencyOptions {
  std::uint64_t budget_bytes = 0;  ///< 0: no limit but the device's own
  bool allow_insecure_keys = false;
};

struct ResidencyEvents {
  std::function<void(std::function<void()>)> post;  ///< to the loop's thread
  std::function<void(std::shared_ptr<const LoadedCircuit>)> on_loaded;
  std::function<void(const CircuitId&, const Error&)> on_failed;
  /// Right after on_failed of the circuit that was loading. Nothing is loaded afterwards, no event follows:
  /// who waits for another circuit is refused by the drain.
  std::function<void(const std::string&)> on_device_lost;
};

class CircuitResidency {
 public:
  CircuitResidency(const ResidencyOptions& options, CircuitLoader load, ResidencyEvents events,
                   telemetry::IdleLedger& ledger, telemetry::Metrics& metrics);
  ~CircuitResidency();

  void offer(const wire::CircuitRef& circuit);
  /// The queue's whole list: what is not on it was removed while it was out of reach.
  void offer_exactly(const std::vector<wire::CircuitRef>& circuits);
  /// Leaves the device as soon as no partition uses it; with `forget` it is unknown from now on.
  void evict(const CircuitId& id);
  void forget(const CircuitId& id);

  /// The resident circuit, marked as used now; nullptr when it is not resident.
  [[nodiscard]] std::shared_ptr<const LoadedCircuit> use(const CircuitId& id);
  /// Begins to load unless that is under way. Events follow on the loop's thread.
  [[nodiscard]] Status want(const CircuitId& id);

  [[nodiscard]] std::uint64_t resident_bytes() const;
  [[nodiscard]] std::size_t resident_count() const { return resident_.size(); }
  [[nodiscard]] bool loading() const { return !loading_.empty(); }

 private:
  struct Resident {
    std::shared_ptr<const LoadedCircuit> circuit;
    std::uint64_t last_used = 0;
  };
  using Outcome = Result<std::shared_ptr<const LoadedCircuit>>;
  void run(std::stop_token stop);
  void finished(const wire::CircuitRef& circuit, Outcome outcome);
  void make_room(const CircuitId& keep);
  bool evict_one_idle(const CircuitId& keep, std::string_view reason);

  ResidencyOptions options_;
  CircuitLoader load_;
  ResidencyEvents events_;
  telemetry::IdleLedger& ledger_;
  telemetry::Metrics& metrics_;
  std::map<CircuitId, wire::CircuitRef> known_;
  std::map<CircuitId, Resident> resident_;
  std::map<CircuitId, bool> loading_;  ///< value: tried once after an eviction
  std::uint64_t uses_ = 0;

  std::mutex mutex_;
  std::condition_variable_any arrived_;
  std::deque<wire::CircuitRef> to_load_;
  std::jthread thread_;
};

}  // namespace penstock::gpu
