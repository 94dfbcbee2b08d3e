// Circuits as clients see them: register, list, show, remove, preload, evict.
// Shape: a registration runs on the registrar thread (seconds for a large key); the answer follows. A name,
// once
//   given, keeps its circuit: another one under the same name is a conflict.
// Ownership: borrows everything. Threads: the calls from any.
// Errors: answered with their code and, for a file, its part and offset.
#pragma once

#include <memory>
#include <string>

#include "services/queue/circuit_store.hpp"
#include "services/queue/job_desk.hpp"

namespace penstock::queue {

class CircuitDesk {
 public:
  struct Parts {
    wire::MessageLoop& loop;
    Scheduler& scheduler;
    WorkerSessions& sessions;
    const JobDesk& jobs;
    CircuitRegistry& circuits;
    const CircuitStore& store;
    LedgerWriter& writer;
    BackgroundThread& registrar;
    const Answers& answers;
    telemetry::Metrics& metrics;
    const Clock& clock;
    spdlog::logger& log;
  };
  explicit CircuitDesk(const Parts& parts) : parts_(parts) {}

  /// `body` keeps the sources' views alive.
  void put(const std::string& name, const CircuitSources& sources, std::shared_ptr<SecretBody> body,
           ResponderPtr responder);
  void put_path(const std::string& name, const std::string& path, ResponderPtr responder);
  void remove(const std::string& name, ResponderPtr responder);
  void list(const ResponderPtr& responder) const;
  void get(const std::string& name, const ResponderPtr& responder) const;
  void preload(const std::string& name, ResponderPtr responder);
  void evict(const std::string& name, ResponderPtr responder);

 private:
  void enlist(const std::string& name, const CircuitSources& sources, const ResponderPtr& responder);
  struct Enlisted {
    CircuitRecord circuit;
    bool created = false;  ///< false: it was registered already
  };
  [[nodiscard]] Result<Enlisted> enlist_files(const std::string& name, const CircuitSources& sources);
  [[nodiscard]] Status note_symbols(const CircuitId& id);
  void remove_on_loop(const std::string& name, const ResponderPtr& responder);
  void forget(const CircuitRecord& circuit, const ResponderPtr& responder);
  void tell_gpus(const std::string& name, ResponderPtr responder,
                 std::function<std::size_t(const wire::CircuitRef&)> tell);
  void remove_when_unused(const CircuitId& id) const;

  Parts parts_;
};

}  // namespace penstock::queue
