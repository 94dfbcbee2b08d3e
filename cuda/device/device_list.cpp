#include "cuda/device/device_list.hpp"

#include <array>

#include "cuda/device/cuda_error.hpp"

namespace penstock::cuda {
namespace {

std::string uuid_text(const cudaUUID_t& uuid) {
  static constexpr std::array<char, 16> digits = {'0', '1', '2', '3', '4', '5', '6', '7',
                                                  '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

Error no_device(cudaError_t code) {
  static_cast<void>(cudaGetLastError());
  if (code == cudaErrorInsufficientDriver)
    return {ErrorCode::device_unavailable, "no NVIDIA driver answers, or it is too old for CUDA 13",
            "install driver 580 or newer, or use --device cpu"};
  return {ErrorCode::device_unavailable,
          "no CUDA device is visible (" + std::string(cudaGetErrorString(code)) + ")",
          "check CUDA_VISIBLE_DEVICES and nvidia-smi, or use --device cpu"};
}

}  // namespace

Result<std::vector<DeviceFacts>> list_devices() {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess) return no_device(code);
  if (count == 0) return no_device(cudaErrorNoDevice);
  std::vector<DeviceFacts> devices;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    cudaDeviceProp properties{};
    PENSTOCK_CUDA_CHECK(cudaGetDeviceProperties(&properties, ordinal));
    devices.push_back({ordinal, properties.name, uuid_text(properties.uuid), properties.totalGlobalMem,
                       properties.multiProcessorCount, properties.major * 10 + properties.minor});
  }
  return devices;
}

void use_device(int ordinal) {
  PENSTOCK_CUDA_CHECK(cudaSetDevice(ordinal));
}

void use_device_quietly(int ordinal) noexcept {
  static_cast<void>(cudaSetDevice(ordinal));
}

std::uint64_t free_memory_bytes() {
  std::size_t free_bytes = 0, total_bytes = 0;
  PENSTOCK_CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  return free_bytes;
}

}  // namespace penstock::cuda
