// The host device: proves on all given cores. Same interface and same proofs as the GPU.
#pragma once

#include <memory>

#include "common/groth16/proving_device.hpp"

namespace penstock::groth16 {

struct HostDeviceOptions {
  int threads = 0;  ///< 0: what the cgroup's quota and the affinity mask allow
  /// Threads keep to one core each and memory is dealt out over the memory nodes: for a machine of our own.
  bool pinned = false;
  /// Memory for each circuit's fixed-base table of H: a resident key proves faster, loading takes longer.
  std::uint64_t table_bytes = 0;
};

[[nodiscard]] std::unique_ptr<ProvingDevice> make_host_device(const HostDeviceOptions& options);

}  // namespace penstock::groth16
