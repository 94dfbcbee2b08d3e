// Brings one partition, packed in memory of our own, into a slab that we cannot reach: chunks while there are
// credits, on from where the GPU service got to after a loss. Blocks its thread; part of Stager.
// Threads: one a partition. Errors: device_unavailable (no answer), cancelled, what the GPU service refused
// with.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include "common/base/clock.hpp"
#include "common/base/sensitive.hpp"
#include "common/staging/staging_link.hpp"

namespace penstock::staging {

struct RemotePartition {
  std::shared_ptr<const SensitiveVector<std::byte>> bytes;
  std::uint64_t used_bytes = 0;
};

class RemoteSender {
 public:
  struct Options {
    std::chrono::milliseconds repeat_after{3'000};
    std::chrono::milliseconds silence_limit{90'000};
  };
  enum class Ended : std::uint8_t { sent, lease_lost };

  RemoteSender(const Options& options, StagingLink& link, const Clock& clock)
      : options_(options), link_(link), clock_(clock) {}

  /// Until everything has been acknowledged under this grant. `ask_again` repeats the request that was
  /// granted: after a lost connection its answer tells how much has arrived.
  [[nodiscard]] Result<Ended> send(const wire::GpuRoute& route, const wire::StageGrant& grant,
                                   const RemotePartition& partition, const std::function<void()>& ask_again,
                                   const std::stop_token& stop);

 private:
  struct Progress {
    std::uint64_t acknowledged = 0, next = 0;
  };
  void send_credited(const wire::GpuRoute& route, const wire::StageGrant& grant,
                     const RemotePartition& partition, Progress& progress);
  const Options options_;
  StagingLink& link_;
  const Clock& clock_;
};

}  // namespace penstock::staging
