#include "common/staging/stager.hpp"

#include <algorithm>
#include <variant>

#include "common/staging/remote_stager.hpp"

namespace penstock::staging {
namespace {

Error cancelled_error() {
  return {.code = ErrorCode::cancelled, .what = "the partition is not wanted any more"};
}

Error silent(const wire::GpuRoute& route) {
  return {.code = ErrorCode::device_unavailable,
          .what = "gpu service " + route.name.text() + " does not answer",
          .hint = "is it running, and reachable from this worker?"};
}

Error no_chunks(const wire::GpuRoute& route) {
  return {.code = ErrorCode::unsupported_version,
          .what = "gpu service " + route.name.text() + " takes no partitions over the network",
          .hint = "run both of the same version, or a worker on its host"};
}

Error leases_ended() {
  return {.code = ErrorCode::overloaded,
          .what = "every slab's lease ended before it was filled",
          .hint = "raise gpu.lease_valid, or lower synthesis.credits"};
}

}  // namespace

bool is_of_this_host(const std::string& endpoint) {
  return endpoint.starts_with("ipc://") || endpoint.starts_with("tcp://127.") ||
         endpoint.starts_with("tcp://localhost:") || endpoint.starts_with("tcp://[::1]:");
}

Result<wire::StageCommit> Stager::stage(const Parcel& parcel, std::uint64_t size_bytes, const Write& write,
                                        telemetry::PhaseTimes& phases, std::stop_token stop) {
  retryable_ = true;
  out_of_reach_ = parcel.gpu.host_id != options_.host_id || arenas_.is_out_of_reach(parcel.gpu.incarnation);
  if (!out_of_reach_) {
    auto staged = stage_open(parcel, size_bytes, write, phases, stop);
    if (!out_of_reach_) return staged;
  }
  return stage_remote(parcel, size_bytes, write, phases, stop);
}

Result<wire::StageCommit> Stager::stage_remote(const Parcel& parcel, std::uint64_t size_bytes,
                                               const Write& write, telemetry::PhaseTimes& phases,
                                               const std::stop_token& stop) {
  auto packed = std::make_shared<SensitiveVector<std::byte>>(size_bytes);
  Written written;
  {
    const telemetry::PhaseScope scope(phases, Phase::pack);
    written = write(packed->reveal());
  }
  const RemotePartition partition{packed, written.used_bytes};
  const wire::StageRequest request = request_for(parcel, written.used_bytes, Reach::chunks);
  RemoteSender sender({options_.repeat_after, options_.silence_limit}, link_, clock_);
  for (int attempt = 0; attempt < options_.attempts; ++attempt) {
    wire::StageGrant grant;
    {
      const telemetry::PhaseScope scope(phases, Phase::slab_wait);
      grant = PENSTOCK_TRY(lease(parcel, request, stop));
    }
    const wire::StageCommit commit{.partition = parcel.partition,
                                   .lease = grant.lease,
                                   .slab_token = grant.slab_token,
                                   .used_bytes = written.used_bytes,
                                   .digest = written.checksum,
                                   .phases = phases};
    const telemetry::PhaseScope scope(phases, Phase::stage);
    const bool usable = grant.chunk_credits > 0 && grant.chunk_bytes > 0 &&
                        grant.chunk_bytes <= wire::max_chunk_bytes && grant.chunk_bytes % 8 == 0;
    auto sent = usable ? sender.send(
                             parcel.gpu, grant, partition, [&] { link_.send(parcel.gpu, request); }, stop)
                       : Result<RemoteSender::Ended>(no_chunks(parcel.gpu));
    if (!sent.ok()) {
      abandon(parcel, grant.lease);
      return std::move(sent).error();
    }
    const bool all_there = *sent == RemoteSender::Ended::sent;
    if (all_there && PENSTOCK_TRY(this->commit(parcel, commit, stop)) == Ended::accepted) return commit;
    abandon(parcel, grant.lease);
  }
  return leases_ended();
}

Result<wire::StageCommit> Stager::stage_open(const Parcel& parcel, std::uint64_t size_bytes,
                                             const Write& write, telemetry::PhaseTimes& phases,
                                             const std::stop_token& stop) {
  for (int attempt = 0; attempt < options_.attempts; ++attempt) {
    wire::StageGrant grant;
    {
      const telemetry::PhaseScope scope(phases, Phase::slab_wait);
      grant = PENSTOCK_TRY(lease(parcel, request_for(parcel, size_bytes, Reach::shared_memory), stop));
    }
    auto slab = slab_of(grant, size_bytes);
    if (!slab.ok()) {
      abandon(parcel, grant.lease);
      const ErrorCode code = slab.error().code;
      out_of_reach_ = code == ErrorCode::not_found || code == ErrorCode::file_unreadable;
      if (out_of_reach_ && !options_.by_address) arenas_.remember_out_of_reach(parcel.gpu.incarnation);
      return std::move(slab).error();
    }
    wire::StageCommit commit;
    commit.partition = parcel.partition;
    commit.lease = grant.lease;
    commit.slab_token = grant.slab_token;
    {
      const telemetry::PhaseScope scope(phases, Phase::pack);
      const Written written = write(*slab);
      commit.used_bytes = written.used_bytes;
      commit.digest = written.checksum;
    }
    commit.phases = phases;
    const telemetry::PhaseScope scope(phases, Phase::stage);
    if (PENSTOCK_TRY(this->commit(parcel, commit, stop)) == Ended::accepted) return commit;
    abandon(parcel, grant.lease);  // so that the next request is not answered with the lease that has ended
  }
  return leases_ended();
}

Result<std::span<std::byte>> Stager::slab_of(const wire::StageGrant& grant, std::uint64_t size_bytes) {
  // This host may have an arena of the same path, and others' partitions in it.
  if (options_.by_address && !is_of_this_host(link_.came_by(grant.partition)))
    return Error{.code = ErrorCode::not_found, .what = "the arena is another host's"};
  if (grant.size_bytes < size_bytes)
    return Error{.code = ErrorCode::size_mismatch, .what = "the slab is smaller than what was asked for"};
  return arenas_.slab(grant.arena_path, grant.offset, grant.size_bytes);
}

wire::StageRequest Stager::request_for(const Parcel& parcel, std::uint64_t size_bytes, Reach reach) const {
  return {.partition = parcel.partition,
          .circuit = parcel.circuit,
          .worker = options_.worker,
          .worker_incarnation = options_.incarnation,
          .host_id = options_.host_id,
          .kind = parcel.kind,
          .encoding = parcel.encoding,
          .size_bytes = size_bytes,
          .priority = parcel.priority,
          .remote = reach == Reach::chunks,
          .result_to = parcel.result_to};
}

Result<wire::StageGrant> Stager::lease(const Parcel& parcel, const wire::StageRequest& request,
                                       const std::stop_token& stop) {
  const SteadyTime begin = clock_.steady_now();
  SteadyTime last_heard = begin;
  auto pause = options_.first_backoff;
  for (;;) {
    link_.send(parcel.gpu, request);
    auto reply = link_.wait_reply(parcel.partition, options_.repeat_after, stop);
    if (stop.stop_requested()) {
      // A lease that was granted meanwhile is given back when the link is closed; one on its way too.
      abandon(parcel, 0);
      if (reply && std::holds_alternative<wire::StageGrant>(*reply))
        abandon(parcel, std::get<wire::StageGrant>(*reply).lease);
      return cancelled_error();
    }
    if (!reply) {
      if (clock_.steady_now() - last_heard >= options_.silence_limit) return silent(parcel.gpu);
      continue;
    }
    last_heard = clock_.steady_now();
    if (auto* grant = std::get_if<wire::StageGrant>(&*reply)) return std::move(*grant);
    const auto* refused = std::get_if<wire::StageRefused>(&*reply);
    if (refused == nullptr) continue;  // a late answer to an earlier lease
    if (!refused->retryable) {
      retryable_ = false;
      return refused->error;
    }
    // A service that drains, or that does not know our key, does not change its mind.
    if (refused->error.code == ErrorCode::draining || refused->error.code == ErrorCode::unauthorized)
      return refused->error;
    const bool unknown = refused->error.code == ErrorCode::circuit_unknown;
    const SteadyTime until = begin + (unknown ? options_.circuit_wait_limit : options_.slab_wait_limit);
    if (clock_.steady_now() >= until) return refused->error;
    PENSTOCK_TRY(back_off(parcel.partition, pause, until, stop));
  }
}

Status Stager::back_off(const wire::PartitionRef& partition, std::chrono::milliseconds& pause,
                        SteadyTime until, const std::stop_token& stop) {
  const auto end = std::min(clock_.steady_now() + pause, until);
  pause = std::min(pause * 2, options_.longest_backoff);
  for (auto now = clock_.steady_now(); now < end && !stop.stop_requested(); now = clock_.steady_now()) {
    // Nothing is expected here; what comes is an answer to a repeated message.
    if (!link_.wait_reply(partition, std::chrono::ceil<std::chrono::milliseconds>(end - now), stop)) break;
  }
  if (stop.stop_requested()) return cancelled_error();
  return {};
}

Result<Stager::Ended> Stager::commit(const Parcel& parcel, const wire::StageCommit& commit,
                                     const std::stop_token& stop) {
  const SteadyTime begin = clock_.steady_now();
  for (;;) {
    link_.send(parcel.gpu, commit);
    const auto reply = link_.wait_reply(parcel.partition, options_.repeat_after, stop);
    if (stop.stop_requested()) {
      abandon(parcel, commit.lease);
      return cancelled_error();
    }
    if (!reply) {
      if (clock_.steady_now() - begin >= options_.silence_limit) return silent(parcel.gpu);
      continue;
    }
    const auto* accepted = std::get_if<wire::StageAccepted>(&*reply);
    if (accepted != nullptr && accepted->lease == commit.lease) return Ended::accepted;
    const auto* refused = std::get_if<wire::StageRefused>(&*reply);
    if (refused == nullptr) continue;  // a repeated grant
    if (refused->error.code == ErrorCode::conflict) return Ended::lease_lost;
    retryable_ = refused->retryable;
    return refused->error;
  }
}

void Stager::abandon(const Parcel& parcel, std::uint64_t lease) {
  link_.send(parcel.gpu, wire::StageAbandon{.partition = parcel.partition, .lease = lease});
}

}  // namespace penstock::staging
