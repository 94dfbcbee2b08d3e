// How a worker thread speaks with GPU services: messages out, and the answers about one partition in. The
// seam between the staging logic and its transport.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "common/wire/message_loop.hpp"
#include "common/wire/messages.hpp"

namespace penstock::staging {

class StagingLink {
 public:
  virtual ~StagingLink() = default;
  /// From here on answers about the partition are kept for wait_reply(). Threads: any.
  virtual void open(const wire::PartitionRef& partition) = 0;
  /// Answers that come later are nobody's; a grant among them is abandoned, a result confirmed.
  virtual void close(const wire::PartitionRef& partition) = 0;
  /// Does not wait; a message that cannot be sent is lost (the caller repeats it).
  virtual void send(const wire::GpuRoute& route, wire::Message message) = 0;
  /// Likewise; `bytes` is kept alive until ZeroMQ has sent it.
  virtual void send_chunk(const wire::GpuRoute& route, const wire::StageChunk& chunk,
                          const wire::ChunkBytes& bytes) = 0;
  /// StageGrant, StageCredit, StageAccepted, StageRefused, or a result for ResultTo::worker; nullopt when the
  /// time is over or a stop is asked for.
  [[nodiscard]] virtual std::optional<wire::Message> wait_reply(const wire::PartitionRef& partition,
                                                                std::chrono::milliseconds longest,
                                                                std::stop_token stop) = 0;
  /// The address by which the last answer of wait_reply() came; empty: unknown.
  [[nodiscard]] virtual std::string came_by(const wire::PartitionRef&) { return {}; }
};

/// Answers about a partition are kept while this lives.
class OpenLink {
 public:
  OpenLink(StagingLink& link, wire::PartitionRef partition) : link_(link), partition_(std::move(partition)) {
    link_.open(partition_);
  }
  ~OpenLink() { link_.close(partition_); }
  OpenLink(const OpenLink&) = delete;
  OpenLink& operator=(const OpenLink&) = delete;

 private:
  StagingLink& link_;
  const wire::PartitionRef partition_;
};

}  // namespace penstock::staging
