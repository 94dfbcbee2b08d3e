#include "services/gpu/device_choice.hpp"

#include <charconv>

#include "common/groth16/host_device.hpp"
#include "cuda/groth16/cuda_device.hpp"
#include "cuda/groth16/device_multiplier.hpp"

namespace penstock::gpu {
namespace {

constexpr std::string_view cuda_prefix = "cuda:";

Error no_such_kind(const std::string& name) {
  return Error{.code = ErrorCode::bad_request,
               .what = "'" + name + "' is not a device",
               .hint = "use auto, cpu or cuda:N"};
}

}  // namespace

Result<int> cuda_ordinal(const std::string& name) {
  if (!name.starts_with(cuda_prefix)) return no_such_kind(name);
  int ordinal = -1;
  const char* begin = name.data() + cuda_prefix.size();
  const char* end = name.data() + name.size();
  const auto [stop, failed] = std::from_chars(begin, end, ordinal);
  if (failed == std::errc() && stop == end && begin != end && ordinal >= 0) return ordinal;
  return no_such_kind(name);
}

Result<std::unique_ptr<groth16::ProvingDevice>> open_device(const DeviceChoice& choice) {
  const std::string name = choice.name == "auto" ? list_devices().front() : choice.name;
  if (name == "cpu")
    return groth16::make_host_device(
        {.threads = choice.threads, .pinned = choice.host_pinned, .table_bytes = choice.host_table_bytes});
  cuda::CudaDeviceOptions options;
  options.ordinal = PENSTOCK_TRY(cuda_ordinal(name));
  return cuda::make_cuda_device(options);
}

Result<std::unique_ptr<groth16::PointMultiplier>> open_multiplier(const DeviceChoice& choice) {
  const std::string name = choice.name == "auto" ? list_devices().front() : choice.name;
  if (name == "cpu") return std::unique_ptr<groth16::PointMultiplier>();
  return cuda::make_device_multiplier(PENSTOCK_TRY(cuda_ordinal(name)));
}

std::vector<std::string> list_devices() {
  std::vector<std::string> names;
  if (const auto found = cuda::visible_devices())
    for (const auto& device : *found)
      names.push_back(std::string(cuda_prefix) + std::to_string(device.ordinal));
  if (names.empty()) names.push_back("cpu");
  return names;
}

}  // namespace penstock::gpu
