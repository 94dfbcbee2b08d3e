// Which device a program proves on: the one place that knows what kinds of device exist.
// Errors: device_unavailable for a device this build or machine does not have, bad_request for a name that is
// none.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/groth16/point_multiplier.hpp"
#include "common/groth16/proving_device.hpp"

namespace penstock::gpu {

struct DeviceChoice {
  std::string name = "auto";  ///< auto (a CUDA device when there is one, else the host) | cpu | cuda:N
  int threads = 0;            ///< of the host device; 0: what the cgroup's quota and the affinity mask allow
  bool host_pinned = false;   ///< of the host device: threads keep to their cores
  std::uint64_t host_table_bytes = 0;  ///< of the host device: for each circuit's fixed-base table of H
};

[[nodiscard]] Result<std::unique_ptr<groth16::ProvingDevice>> open_device(const DeviceChoice& choice);

/// What makes the points of development keys on that device; null for the host, which needs none.
[[nodiscard]] Result<std::unique_ptr<groth16::PointMultiplier>> open_multiplier(const DeviceChoice& choice);

/// N of "cuda:N".
[[nodiscard]] Result<int> cuda_ordinal(const std::string& name);

/// What `auto` means for a whole machine: every CUDA device, or the host when there is none.
[[nodiscard]] std::vector<std::string> list_devices();

}  // namespace penstock::gpu
