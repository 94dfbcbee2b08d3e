#include "services/queue/circuit_desk.hpp"

#include <fmt/format.h>
#include <spdlog/logger.h>

#include "services/queue/json_views.hpp"

namespace penstock::queue {

// ---- registration (registrar thread) ----

void CircuitDesk::put(const std::string& name, const CircuitSources& sources,
                      std::shared_ptr<SecretBody> body, ResponderPtr responder) {
  const Status queued = parts_.registrar.submit(
      [this, name, sources, body = std::move(body), responder] { enlist(name, sources, responder); });
  if (!queued.ok()) parts_.answers.refuse(responder, queued.error());
}

void CircuitDesk::put_path(const std::string& name, const std::string& path, ResponderPtr responder) {
  const Status queued = parts_.registrar.submit([this, name, path, responder] {
    const auto sources = parts_.store.find_import(path);
    if (!sources.ok()) return parts_.answers.refuse(responder, sources.error());
    enlist(name, *sources, responder);
  });
  if (!queued.ok()) parts_.answers.refuse(responder, queued.error());
}

void CircuitDesk::enlist(const std::string& name, const CircuitSources& sources,
                         const ResponderPtr& responder) {
  const auto enlisted = enlist_files(name, sources);
  if (!enlisted.ok()) {
    parts_.log.info("circuit {} is refused: {}", name, to_string(enlisted.error()));
    return parts_.answers.refuse(responder, enlisted.error());
  }
  const wire::CircuitRef& ref = enlisted->circuit.ref;
  if (enlisted->created) {
    parts_.log.info("circuit {} is registered: {}, {} wires, domain {}", name, penstock::name(ref.curve),
                    ref.variables, ref.domain_size);
    expect_results(parts_.metrics, name);
    parts_.loop.post([this, ref] { parts_.sessions.offer(ref); });
  }
  responder->send({.status = enlisted->created ? 201 : 200,
                   .body = circuit_json(enlisted->circuit),
                   .headers = {{"Location", "/v1/circuits/" + name}}});
}

Result<CircuitDesk::Enlisted> CircuitDesk::enlist_files(const std::string& name,
                                                        const CircuitSources& sources) {
  const auto ref = PENSTOCK_TRY(parts_.store.build(name, sources));
  if (ref.has_sym) PENSTOCK_TRY(note_symbols(ref.id));
  if (const auto existing = parts_.circuits.find(name)) {
    if (existing->ref.id == ref.id) return Enlisted{.circuit = *existing};
    remove_when_unused(ref.id);
    return Error{.code = ErrorCode::conflict,
                 .what = "another circuit is registered as " + name,
                 .hint = "remove it first, or choose another name"};
  }
  const CircuitRecord circuit{.ref = ref, .created = to_millis(parts_.clock.wall_now())};
  if (auto committed = parts_.writer.commit({CircuitAdded{circuit}}); !committed.ok()) {
    remove_when_unused(ref.id);
    return std::move(committed).error();
  }
  parts_.circuits.insert(circuit);
  return Enlisted{.circuit = circuit, .created = true};
}

/// Symbols that came after their circuit: the workers are told, so that errors name signals from now on.
Status CircuitDesk::note_symbols(const CircuitId& id) {
  auto known = parts_.circuits.find(id);
  if (!known || known->ref.has_sym) return {};
  if (auto committed = parts_.writer.commit({SymbolsAdded{id}}); !committed.ok())
    return std::move(committed).error();
  parts_.circuits.add_symbols(id);
  known->ref.has_sym = true;
  parts_.loop.post([this, ref = known->ref] { parts_.sessions.offer(ref); });
  return {};
}

void CircuitDesk::remove_when_unused(const CircuitId& id) const {
  if (!parts_.circuits.find(id)) parts_.store.remove(id);
}

// ---- removal ----

void CircuitDesk::remove(const std::string& name, ResponderPtr responder) {
  parts_.loop.post([this, name, responder = std::move(responder)] { remove_on_loop(name, responder); });
}

void CircuitDesk::remove_on_loop(const std::string& name, const ResponderPtr& responder) {
  const auto circuit = parts_.circuits.find(name);
  if (!circuit) return parts_.answers.refuse(responder, no_such_circuit(name));
  const std::uint32_t jobs = parts_.scheduler.jobs_of(circuit->ref.id);
  // Under another name the circuit stays, and so do its files: its jobs go on.
  const bool is_last = parts_.circuits.names_of(circuit->ref.id) == 1;
  if (is_last && (jobs > 0 || parts_.jobs.pinned(circuit->ref.id)))
    return parts_.answers.refuse(responder,
                                 Error{.code = ErrorCode::conflict,
                                       .what = fmt::format("{} unfinished jobs use {}", jobs, name),
                                       .hint = "wait for them or cancel them"});
  parts_.circuits.erase(name);  // from here on nobody can submit with it
  const Status queued =
      parts_.registrar.submit([this, circuit = *circuit, responder] { forget(circuit, responder); });
  if (queued.ok()) return;
  parts_.circuits.insert(*circuit);
  parts_.answers.refuse(responder, queued.error());
}

void CircuitDesk::forget(const CircuitRecord& circuit, const ResponderPtr& responder) {
  if (const auto committed = parts_.writer.commit({CircuitRemoved{circuit.ref.name}}); !committed.ok()) {
    parts_.circuits.insert(circuit);
    return parts_.answers.refuse(responder, committed.error());
  }
  if (!parts_.circuits.find(circuit.ref.id)) {
    parts_.loop.post([this, id = circuit.ref.id] { parts_.sessions.withdraw(id); });
    parts_.store.remove(circuit.ref.id);
  }
  parts_.log.info("circuit {} is removed", circuit.ref.name);
  responder->send({.status = 204, .body = ""});
}

// ---- looking ----

void CircuitDesk::list(const ResponderPtr& responder) const {
  responder->send({.status = 200, .body = circuit_list_json(parts_.circuits.list())});
}

void CircuitDesk::get(const std::string& name, const ResponderPtr& responder) const {
  const auto circuit = parts_.circuits.find(name);
  if (!circuit) return Answers::tell(responder, no_such_circuit(name));
  const auto key = parts_.store.verification_key_json(circuit->ref.id);
  if (!key.ok()) return parts_.answers.refuse(responder, key.error());
  responder->send({.status = 200, .body = circuit_json(*circuit, *key)});
}

// ---- residency ----

void CircuitDesk::tell_gpus(const std::string& name, ResponderPtr responder,
                            std::function<std::size_t(const wire::CircuitRef&)> tell) {
  parts_.loop.post([this, name, responder = std::move(responder), tell = std::move(tell)] {
    const auto circuit = parts_.circuits.find(name);
    if (!circuit) return parts_.answers.refuse(responder, no_such_circuit(name));
    const std::size_t told = tell(circuit->ref);
    if (told == 0)
      return parts_.answers.refuse(responder,
                                   Error{.code = ErrorCode::device_unavailable,
                                         .what = "no GPU service that takes this circuit is connected"});
    responder->send({.status = 202, .body = fmt::format("{{\"gpus\":{}}}", told)});
  });
}

void CircuitDesk::preload(const std::string& name, ResponderPtr responder) {
  tell_gpus(name, std::move(responder),
            [this](const wire::CircuitRef& ref) { return parts_.sessions.preload(ref); });
}

void CircuitDesk::evict(const std::string& name, ResponderPtr responder) {
  tell_gpus(name, std::move(responder),
            [this](const wire::CircuitRef& ref) { return parts_.sessions.evict(ref); });
}

}  // namespace penstock::queue
