#include "services/gpu/gpu_core.hpp"

#include <utility>

namespace penstock::gpu {
namespace {

bool blames_the_input(ErrorCode code) {
  switch (code) {
    case ErrorCode::out_of_memory:
    case ErrorCode::device_unavailable:
    case ErrorCode::internal:
    case ErrorCode::overloaded:
      return false;
    default:
      return true;
  }
}

/// What synthesis measured came with the commit, for the job's result; its own service has counted it.
telemetry::PhaseTimes own_phases(const telemetry::PhaseTimes& all) {
  telemetry::PhaseTimes own;
  all.for_each([&](Phase phase, telemetry::Duration spent) {
    if (phase >= Phase::circuit_wait) own.add(phase, spent);
  });
  return own;
}

}  // namespace

Result<std::unique_ptr<GpuCore>> GpuCore::create(const CoreOptions& options, CoreParts parts, Outbox outbox) {
  std::unique_ptr<GpuCore> core(new GpuCore(options, std::move(parts), std::move(outbox)));
  PENSTOCK_TRY(core->open_lanes());
  return core;
}

GpuCore::GpuCore(const CoreOptions& options, CoreParts parts, Outbox outbox)
    : options_(options), parts_(std::move(parts)), outbox_(std::move(outbox)), ledger_(parts_.clock) {
  circuits_ = std::make_unique<CircuitResidency>(
      options_.residency, parts_.load,
      ResidencyEvents{
          .post = outbox_.post,
          .on_loaded =
              [this](std::shared_ptr<const LoadedCircuit> circuit) { staging_->circuit_loaded(circuit); },
          .on_failed = [this](const CircuitId& id,
                              const Error& error) { staging_->circuit_failed(id, error); },
          .on_device_lost = [this](const std::string& what) { lose_device(what); }},
      ledger_, parts_.metrics);
  staging_ = std::make_unique<Staging>(options_.staging, StagingParts{.arena = parts_.arena,
                                                                      .circuits = *circuits_,
                                                                      .lanes = queue_,
                                                                      .clock = parts_.clock,
                                                                      .metrics = parts_.metrics,
                                                                      .to_worker = outbox_.to_worker,
                                                                      .to_queue = outbox_.to_queue});
  finisher_ = std::make_unique<Finisher>(Finisher::Options{options_.finishers}, parts_.second_opinion,
                                         [this](FinishedPartition finished) { settle(std::move(finished)); });
}

GpuCore::~GpuCore() {
  lanes_.clear();
  finisher_.reset();
}

Status GpuCore::open_lanes() {
  for (int i = 0; i < options_.lanes; ++i) {
    auto lane = PENSTOCK_TRY(parts_.device.open_lane());
    lanes_.push_back(std::make_unique<Lane>(
        std::move(lane), LaneParts{queue_, parts_.blinding, ledger_, parts_.clock, *this}));
  }
  return {};
}

void GpuCore::from_worker(const wire::PeerId& peer, const wire::Message& message) {
  if (const auto* request = std::get_if<wire::StageRequest>(&message))
    return staging_->request(peer, *request);
  if (const auto* commit = std::get_if<wire::StageCommit>(&message)) return staging_->commit(peer, *commit);
  if (const auto* abandon = std::get_if<wire::StageAbandon>(&message)) return staging_->abandon(*abandon);
  if (const auto* committed = std::get_if<wire::ResultCommitted>(&message))
    return staging_->committed_by(peer, committed->partition);
  if (const auto* cancel = std::get_if<wire::CancelPartition>(&message))
    return staging_->cancel_by(peer, cancel->partition);
}

void GpuCore::from_queue(const wire::Message& message) {
  if (const auto* welcome = std::get_if<wire::Welcome>(&message)) {
    circuits_->offer_exactly(welcome->circuits);
    for (auto& result : staging_->unconfirmed()) outbox_.to_queue(std::move(result));
  } else if (const auto* offer = std::get_if<wire::CircuitOffer>(&message)) {
    circuits_->offer(offer->circuit);
    // A refusal (an insecure key) is told to whoever asks for a slab; there is nobody to tell here.
    if (offer->preload) static_cast<void>(circuits_->want(offer->circuit.id));
  } else if (const auto* withdrawn = std::get_if<wire::CircuitWithdrawn>(&message)) {
    withdrawn->remove ? circuits_->forget(withdrawn->circuit) : circuits_->evict(withdrawn->circuit);
  } else if (const auto* committed = std::get_if<wire::ResultCommitted>(&message)) {
    staging_->committed(committed->partition);
  } else if (const auto* cancel = std::get_if<wire::CancelPartition>(&message)) {
    staging_->cancel(cancel->partition);
  } else if (std::holds_alternative<wire::Drain>(message)) {
    begin_drain();
  }
}

void GpuCore::begin_drain() {
  staging_->begin_drain();
}

void GpuCore::proving(StagedPartitionPtr partition) {
  outbox_.post([this, ref = partition->ref] { staging_->proving(ref); });
}

void GpuCore::proved(StagedPartitionPtr partition, groth16::ProvedPartition proved) {
  ++finishing_;
  finisher_->finish(std::move(partition), std::move(proved));
}

void GpuCore::failed(StagedPartitionPtr partition, Error error) {
  ++finishing_;
  const bool retryable = !blames_the_input(error.code);
  finisher_->fail(std::move(partition), std::move(error), retryable);
}

void GpuCore::device_lost(StagedPartitionPtr, std::string what) {
  lose_device(what);
}

void GpuCore::lose_device(const std::string& what) {
  set_fault({.code = ErrorCode::device_unavailable,
             .what = "the device was lost: " + what,
             .hint = "the service restarts; the queue gives its partitions to another"});
  outbox_.post([this] { begin_drain(); });
}

// On a finisher thread.
void GpuCore::settle(FinishedPartition finished) {
  auto shared = std::make_shared<FinishedPartition>(std::move(finished));
  outbox_.post([this, shared] {
    count(*shared);
    if (parts_.observed) parts_.observed(*shared);
    staging_->finished(std::move(*shared));
    --finishing_;
  });
}

void GpuCore::count(const FinishedPartition& finished) {
  const std::string& device = parts_.device.info().name;
  const auto& circuit = finished.partition->circuit->ref;
  parts_.metrics.add("partitions_total",
                     {{"circuit", circuit.name}, {"result", finished.error ? "failed" : "proved"}});
  parts_.metrics.observe_phases(own_phases(finished.partition->phases), circuit.curve, device);
  // The host device reads the arena where it lies.
  parts_.metrics.add("h2d_bytes_total",
                     {{"device", device}, {"memory", device == "cpu" ? "shared" : "pinned"}},
                     static_cast<double>(finished.partition->view.bytes.size()));
  if (!finished.device_erred) return;
  parts_.metrics.add("self_verify_failures_total", {{"device", device}});
  ++device_errors_;
  if (!quarantined()) return;
  set_fault({.code = ErrorCode::device_unavailable,
             .what = "the device is quarantined: " + std::to_string(device_errors_) +
                     " of its proofs were wrong and the host's were right",
             .hint = "check the device; restart the service to use it again"});
  begin_drain();
}

void GpuCore::set_fault(Error error) {
  const std::lock_guard lock(fault_mutex_);
  if (fault_) return;
  fault_ = std::move(error);
  ledger_.begin(telemetry::IdleReason::fault);
}

std::optional<Error> GpuCore::fault() const {
  const std::lock_guard lock(fault_mutex_);
  return fault_;
}

// With the device gone, what is staged will not be proved here: the queue gives it to another service.
bool GpuCore::fault_settled() const {
  return fault().has_value() && finishing_ == 0;
}

}  // namespace penstock::gpu
