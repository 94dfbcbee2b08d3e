#include "common/staging/remote_stager.hpp"

#include <algorithm>
#include <variant>

#include "common/base/checksum.hpp"

namespace penstock::staging {

void RemoteSender::send_credited(const wire::GpuRoute& route, const wire::StageGrant& grant,
                                 const RemotePartition& partition, Progress& progress) {
  const std::uint64_t window = std::uint64_t{grant.chunk_bytes} * grant.chunk_credits;
  while (progress.next < partition.used_bytes && progress.next < progress.acknowledged + window) {
    const wire::ChunkBytes bytes{
        partition.bytes, progress.next,
        std::min<std::uint64_t>(grant.chunk_bytes, partition.used_bytes - progress.next)};
    link_.send_chunk(route,
                     wire::StageChunk{.partition = grant.partition,
                                      .lease = grant.lease,
                                      .slab_token = grant.slab_token,
                                      .offset = progress.next,
                                      .checksum = checksum_of(bytes.view())},
                     bytes);
    progress.next += bytes.size_bytes;
  }
}

Result<RemoteSender::Ended> RemoteSender::send(const wire::GpuRoute& route, const wire::StageGrant& grant,
                                               const RemotePartition& partition,
                                               const std::function<void()>& ask_again,
                                               const std::stop_token& stop) {
  Progress progress{grant.received_bytes, grant.received_bytes};
  SteadyTime last_heard = clock_.steady_now();
  while (progress.acknowledged < partition.used_bytes) {
    send_credited(route, grant, partition, progress);
    const auto reply = link_.wait_reply(grant.partition, options_.repeat_after, stop);
    if (stop.stop_requested())
      return Error{.code = ErrorCode::cancelled, .what = "the partition is not wanted any more"};
    if (!reply) {
      if (clock_.steady_now() - last_heard >= options_.silence_limit)
        return Error{.code = ErrorCode::device_unavailable,
                     .what = "gpu service " + route.name.text() + " does not answer",
                     .hint = "is it running, and reachable from this worker?"};
      ask_again();
      continue;
    }
    last_heard = clock_.steady_now();
    if (const auto* credit = std::get_if<wire::StageCredit>(&*reply);
        credit && credit->lease == grant.lease) {
      progress.acknowledged = std::max(progress.acknowledged, credit->received_bytes);
      if (credit->rewind) progress.next = progress.acknowledged;
    } else if (const auto* again = std::get_if<wire::StageGrant>(&*reply)) {
      if (again->lease != grant.lease) return Ended::lease_lost;
      progress = {again->received_bytes, again->received_bytes};
    } else if (const auto* refused = std::get_if<wire::StageRefused>(&*reply)) {
      if (refused->error.code == ErrorCode::conflict) return Ended::lease_lost;
      return refused->error;
    }
  }
  return Ended::sent;
}

}  // namespace penstock::staging
