// The part of Staging that fills a slab for a worker that cannot reach it: chunks in, credits out.
#include <cstring>

#include "common/base/checksum.hpp"
#include "services/gpu/staging.hpp"

namespace penstock::gpu {

void Staging::chunk(const wire::PeerId& peer, const wire::StageChunk& chunk,
                    std::span<const std::byte> bytes) {
  auto* entry = table_.find(chunk.partition);
  const bool holds = entry != nullptr && entry->step == PartitionStep::granted && entry->credits > 0 &&
                     entry->lease.lease == chunk.lease && entry->lease.token == chunk.slab_token;
  if (!holds)
    return refuse(
        peer, chunk.partition,
        {.code = ErrorCode::conflict, .what = "the slab's lease has ended", .hint = "ask for a new slab"},
        true);
  entry->peer = peer;
  // What was sent again after a lost connection, or sent before the worker learned of a loss.
  if (chunk.offset < entry->received_bytes) return send_credit(*entry, false);
  const std::uint64_t room = entry->request.size_bytes - entry->received_bytes;
  const bool right = chunk.offset == entry->received_bytes && !bytes.empty() && bytes.size() <= room &&
                     bytes.size() <= windows_.chunk_bytes() && checksum_of(bytes) == chunk.checksum;
  if (!right) return send_credit(*entry, true);
  std::memcpy(memory_of(entry->lease).data() + chunk.offset, bytes.data(), bytes.size());
  entry->received_bytes += bytes.size();
  slabs_.extend(entry->lease.lease, options_.lease_valid);
  send_credit(*entry, false);
}

void Staging::send_credit(const PartitionEntry& entry, bool rewind) {
  parts_.to_worker(entry.peer, wire::StageCredit{.partition = entry.request.partition,
                                                 .lease = entry.lease.lease,
                                                 .received_bytes = entry.received_bytes,
                                                 .rewind = rewind});
}

bool Staging::open_window(PartitionEntry& entry) {
  if (!entry.request.remote) return true;
  const auto credits = windows_.open(worker_of(entry));
  if (!credits) return false;
  entry.credits = *credits;
  return true;
}

void Staging::close_window(PartitionEntry& entry) {
  if (entry.credits > 0) windows_.close(worker_of(entry), entry.credits);
  entry.credits = 0;
}

std::string Staging::worker_of(const PartitionEntry& entry) {
  return entry.request.worker.text() + "/" + entry.request.worker_incarnation.text();
}

}  // namespace penstock::gpu
