// The host device: proves on all given cores. Same interface and same proofs as the GPU.
#pragma once

#include <memory>

#include "common/groth16/proving_device.hpp"

namespace penstock::groth16 {

struct HostDeviceOptions {
  int threads = 0;  ///< 0: what the cgroup's quota and the affinity mask allow
};

[[nodiscard]] std::unique_ptr<ProvingDevice> make_host_device(const HostDeviceOptions& options);

}  // namespace penstock::groth16
