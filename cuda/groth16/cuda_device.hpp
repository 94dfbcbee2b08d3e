// CudaDevice: ProvingDevice on one NVIDIA GPU. No CUDA header is needed to use it; a build without CUDA has
// it too, and its list of devices is empty. Errors: device_unavailable with the reason (no driver, too old,
// no such ordinal, architecture not compiled),
//   out_of_memory, bad_domain (a domain of 2^28 on BN254: there is no further root of unity for the coset).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/groth16/proving_device.hpp"

namespace penstock::cuda {

struct DeviceSummary {
  int ordinal = 0;
  std::string name, uuid;
  std::uint64_t memory_bytes = 0;
};
/// device_unavailable when there is none; says why.
[[nodiscard]] Result<std::vector<DeviceSummary>> visible_devices();

struct CudaDeviceOptions {
  int ordinal = 0;
  double memory_fraction = 0.9;  ///< of the memory free at start: the device's budget
  double table_fraction =
      0.4;  ///< of the budget: at most this for one circuit's points and fixed-base tables
};

/// Opens the device and proves a small circuit on it on both curves: a device that computes wrongly is
/// refused.
[[nodiscard]] Result<std::unique_ptr<groth16::ProvingDevice>> make_cuda_device(
    const CudaDeviceOptions& options);

}  // namespace penstock::cuda
