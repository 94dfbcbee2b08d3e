#include "services/queue/worker_sessions.hpp"

#include <fmt/format.h>
#include <spdlog/logger.h>

#include <nlohmann/json.hpp>

namespace penstock::queue {

namespace {

constexpr std::size_t max_proof_bytes = 65536;
constexpr std::size_t max_publics_bytes = std::size_t{256} << 20;
constexpr std::uint32_t max_credits = 4096;
constexpr std::size_t max_endpoints = 16, max_text = 512;

/// What a worker says about itself is bounded: it is kept, shown and sent on.
Status check_hello(const Peer& peer, const wire::Hello& hello) {
  if (hello.protocol != wire::protocol_version)
    return Error{.code = ErrorCode::unsupported_version,
                 .what = fmt::format("the worker speaks version {} of the wire, the queue {}", hello.protocol,
                                     wire::protocol_version),
                 .hint = "run the same release everywhere"};
  bool fits = hello.credits <= max_credits && hello.data_endpoints.size() <= max_endpoints;
  fits = fits && (hello.curve_key.empty() || wire::is_curve_text(hello.curve_key));
  for (const std::string* text : {&hello.version, &hello.host_id, &hello.metrics_address, &hello.device})
    fits = fits && text->size() <= max_text;
  for (const std::string& endpoint : hello.data_endpoints) fits = fits && endpoint.size() <= max_text;
  if (!fits || !is_safe_name(hello.name.text()) || !is_safe_name(hello.incarnation.text()) ||
      peer != peer_of(hello.name, hello.incarnation))
    return Error{.code = ErrorCode::bad_request, .what = "the worker's Hello is malformed"};
  return {};
}

bool is_json(const std::string& text, std::size_t max_bytes) {
  return text.size() <= max_bytes && nlohmann::json::accept(text);
}

}  // namespace

Status WorkerSessions::bind(wire::MessageLoop& loop, const std::vector<std::string>& addresses,
                            std::function<void()> changed) {
  router_ = PENSTOCK_TRY(loop.bind_router(
      addresses, [this, changed = std::move(changed)](const Peer& peer, wire::Message message) {
        receive(peer, message);
        changed();
      }));
  return {};
}

Status WorkerSessions::send(const Peer& peer, const wire::Message& message) {
  return router_->send(peer, message);
}

void WorkerSessions::receive(const Peer& peer, wire::Message& message) {
  if (const auto* one = std::get_if<wire::Hello>(&message)) return hello(peer, *one);
  if (auto* one = std::get_if<wire::PartitionProved>(&message)) return proved(peer, *one);
  if (!scheduler_.heard(peer)) return;  // it will notice our silence and say Hello
  if (const auto* one = std::get_if<wire::Heartbeat>(&message))
    return scheduler_.heartbeat(peer, one->in_flight);
  if (const auto* one = std::get_if<wire::PartitionProgress>(&message))
    return scheduler_.progress(peer, *one);
  if (const auto* one = std::get_if<wire::PartitionStaged>(&message)) return scheduler_.staged(peer, *one);
  if (const auto* one = std::get_if<wire::PartitionFailed>(&message)) return scheduler_.failed(peer, *one);
  if (std::holds_alternative<wire::Goodbye>(message)) {
    log_.info("{} says goodbye", peer);
    return scheduler_.leave(peer, Scheduler::Leaving::goodbye);
  }
  log_.debug("{} sent a message that is not for a queue", peer);
}

void WorkerSessions::refuse(const Peer& peer, Error error) {
  log_.warn("{} is refused: {}", peer, to_string(error));
  static_cast<void>(send(peer, wire::Refused{.error = std::move(error)}));
}

void WorkerSessions::hello(const Peer& peer, const wire::Hello& hello) {
  if (auto checked = check_hello(peer, hello); !checked.ok()) return refuse(peer, std::move(checked).error());
  const bool known = scheduler_.workers().all().contains(peer);
  scheduler_.join(hello);
  wire::Welcome welcome{.queue = options_.incarnation,
                        .heartbeat_interval = options_.heartbeat_interval,
                        .heartbeat_timeout = options_.heartbeat_timeout,
                        .circuits = {}};
  for (const CircuitRecord& circuit : circuits_.list())
    if (may_know(hello, circuit.ref)) welcome.circuits.push_back(circuit.ref);
  if (!send(peer, welcome).ok()) return;  // it says Hello until it is welcomed
  if (!known)
    log_.info("{} joins: {}, {} credits{}", hello.name.text(),
              hello.kind == wire::WorkerKind::gpu ? "gpu" : "synthesis", hello.credits,
              hello.device.empty() ? "" : ", device " + hello.device);
}

void WorkerSessions::proved(const Peer& peer, wire::PartitionProved& report) {
  if (is_json(report.proof_json, max_proof_bytes) && is_json(report.public_json, max_publics_bytes))
    return scheduler_.proved(peer, report);
  scheduler_.failed(
      peer, {.partition = report.partition,
             .error = Error{.code = ErrorCode::internal, .what = "the GPU service sent no valid JSON"},
             .retryable = true,
             .phases = report.phases});
}

void WorkerSessions::beat() {
  for (const auto& [peer, worker] : scheduler_.workers().all())
    static_cast<void>(
        send(peer, wire::Heartbeat{.incarnation = options_.incarnation, .credits_free = 0, .in_flight = {}}));
}

bool WorkerSessions::may_know(const wire::Hello& worker, const wire::CircuitRef& circuit) {
  return worker.kind != wire::WorkerKind::gpu || !circuit.insecure_dev || worker.allow_insecure_keys;
}

void WorkerSessions::offer(const wire::CircuitRef& circuit) {
  for (const auto& [peer, worker] : scheduler_.workers().all())
    if (may_know(worker.hello, circuit))
      static_cast<void>(send(peer, wire::CircuitOffer{.circuit = circuit, .preload = false}));
}

void WorkerSessions::withdraw(const CircuitId& circuit) {
  for (const auto& [peer, worker] : scheduler_.workers().all())
    static_cast<void>(send(peer, wire::CircuitWithdrawn{.circuit = circuit, .remove = true}));
}

std::size_t WorkerSessions::preload(const wire::CircuitRef& circuit) {
  return tell_gpus(circuit, wire::CircuitOffer{.circuit = circuit, .preload = true});
}

std::size_t WorkerSessions::evict(const wire::CircuitRef& circuit) {
  return tell_gpus(circuit, wire::CircuitWithdrawn{.circuit = circuit.id, .remove = false});
}

std::size_t WorkerSessions::tell_gpus(const wire::CircuitRef& circuit, const wire::Message& message) {
  std::size_t told = 0;
  for (const auto& [peer, worker] : scheduler_.workers().all())
    if (worker.hello.kind == wire::WorkerKind::gpu && may_know(worker.hello, circuit) &&
        send(peer, message).ok())
      ++told;
  return told;
}

}  // namespace penstock::queue
