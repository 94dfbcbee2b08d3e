// Which CUDA devices this process can use. No driver, a driver too old and no device are all "none", with the
// reason.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace penstock::cuda {

struct DeviceFacts {
  int ordinal = 0;
  std::string name;
  std::string uuid;  ///< GPU-xxxxxxxx-…: how NVML knows it
  std::uint64_t memory_bytes = 0;
  int multiprocessors = 0;
  int compute_capability = 0;  ///< 90 for 9.0
};

/// device_unavailable with a clear sentence when there is none.
[[nodiscard]] Result<std::vector<DeviceFacts>> list_devices();
/// Makes the ordinal current on this thread. Every thread that enqueues calls it once.
void use_device(int ordinal);
/// The same for destructors: a device that is gone is no news there.
void use_device_quietly(int ordinal) noexcept;
/// Free memory of the current device.
[[nodiscard]] std::uint64_t free_memory_bytes();

}  // namespace penstock::cuda
