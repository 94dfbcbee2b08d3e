// Brings one partition into a slab: lease, write, commit, accepted; repeats what is lost, backs off when
// there is no slab, and starts anew when the lease ended first. Where the slab is shared memory that we
// reach, it is written in place; else (another host, a container beside us) the partition is packed here and
// sent in chunks. Blocks its thread. REQUIRES an OpenLink for the partition. Threads: one Stager a
// partition. Errors: device_unavailable (another
// host, no answer, an arena out of reach), overloaded (no slab in time), cancelled, and what the GPU service
// refused with. retryable() of the failure says whether another attempt may do better.
#pragma once

#include <chrono>
#include <functional>
#include <span>

#include "common/base/clock.hpp"
#include "common/base/result.hpp"
#include "common/staging/arenas.hpp"
#include "common/staging/staging_link.hpp"
#include "common/telemetry/phase_times.hpp"

namespace penstock::staging {

struct StagerOptions {
  WorkerName worker;
  Incarnation incarnation;
  std::string host_id;
  std::chrono::milliseconds repeat_after{3'000};    ///< an unanswered message is sent again
  std::chrono::milliseconds silence_limit{90'000};  ///< above the time a GPU service takes to load a circuit
  std::chrono::milliseconds slab_wait_limit{600'000};
  std::chrono::milliseconds circuit_wait_limit{
      60'000};  ///< for a circuit that the service has not heard of yet
  std::chrono::milliseconds first_backoff{10}, longest_backoff{500};
  int attempts = 3;  ///< leases that may end under our hands
  /// Services are known by their addresses only, not by host and boot: an arena is used where its grant came
  /// by an address of this host, and one out of reach is tried again with the next partition.
  bool by_address = false;
};

/// ipc and loopback.
[[nodiscard]] bool is_of_this_host(const std::string& endpoint);

/// What is brought where: one attempt at one partition.
struct Parcel {
  wire::PartitionRef partition;
  CircuitId circuit;
  wire::GpuRoute gpu;
  wire::Priority priority = wire::Priority::normal;
  wire::PartitionKind kind = wire::PartitionKind::witness;
  wire::Encoding encoding = wire::Encoding::packed;
  wire::ResultTo result_to = wire::ResultTo::queue;
};

class Stager {
 public:
  /// What was written into the slab, and its checksum (Checksum::value), taken from what was to be written
  /// and not from the slab: a worker whose lease ended may still be writing there. 0: none.
  struct Written {
    std::uint64_t used_bytes = 0, checksum = 0;
  };
  /// Writes the partition into the slab. Called once per lease.
  using Write = std::function<Written(std::span<std::byte> slab)>;

  Stager(const StagerOptions& options, StagingLink& link, Arenas& arenas, const Clock& clock)
      : options_(options), link_(link), arenas_(arenas), clock_(clock) {}

  /// The commit that was accepted. `phases` gains slab_wait, pack and stage; the commit carries what is known
  /// before it.
  [[nodiscard]] Result<wire::StageCommit> stage(const Parcel& parcel, std::uint64_t size_bytes,
                                                const Write& write, telemetry::PhaseTimes& phases,
                                                std::stop_token stop);
  /// After a failure: did the GPU service or the transport fail (true), or the partition itself?
  [[nodiscard]] bool retryable() const { return retryable_; }

 private:
  enum class Ended : std::uint8_t { accepted, lease_lost };
  enum class Reach : std::uint8_t { shared_memory, chunks };
  [[nodiscard]] Result<wire::StageCommit> stage_open(const Parcel& parcel, std::uint64_t size_bytes,
                                                     const Write& write, telemetry::PhaseTimes& phases,
                                                     const std::stop_token& stop);
  [[nodiscard]] Result<wire::StageCommit> stage_remote(const Parcel& parcel, std::uint64_t size_bytes,
                                                       const Write& write, telemetry::PhaseTimes& phases,
                                                       const std::stop_token& stop);
  [[nodiscard]] Result<std::span<std::byte>> slab_of(const wire::StageGrant& grant, std::uint64_t size_bytes);
  [[nodiscard]] wire::StageRequest request_for(const Parcel& parcel, std::uint64_t size_bytes,
                                               Reach reach) const;
  [[nodiscard]] Result<wire::StageGrant> lease(const Parcel& parcel, const wire::StageRequest& request,
                                               const std::stop_token& stop);
  [[nodiscard]] Result<Ended> commit(const Parcel& parcel, const wire::StageCommit& commit,
                                     const std::stop_token& stop);
  [[nodiscard]] Status back_off(const wire::PartitionRef& partition, std::chrono::milliseconds& pause,
                                SteadyTime until, const std::stop_token& stop);
  void abandon(const Parcel& parcel, std::uint64_t lease);

  const StagerOptions& options_;
  StagingLink& link_;
  Arenas& arenas_;
  const Clock& clock_;
  bool retryable_ = true;
  bool out_of_reach_ = false;  ///< the arena that was granted
};

}  // namespace penstock::staging
