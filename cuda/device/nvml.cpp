#include "cuda/device/nvml.hpp"

#include <dlfcn.h>

namespace penstock::cuda {
namespace {

// NVML's C interface as far as it is used here.
using Handle = void*;
using Code = int;
constexpr Code success = 0;
constexpr unsigned tx = 0, rx = 1;  // as the device sends and receives
constexpr unsigned sm_clock = 1;
struct Utilization {
  unsigned gpu, memory;
};
struct Memory {
  unsigned long long total, free, used;
};

Error unavailable(std::string what) {
  return {.code = ErrorCode::device_unavailable,
          .what = std::move(what),
          .hint = "NVML comes with the driver; proving does not need it"};
}

}  // namespace

struct Nvml::Library {
  Library() : file(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {}
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (initialised) shutdown();
    if (file != nullptr) dlclose(file);
  }

  template <class Function>
  bool find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(file, name));
    return function != nullptr;
  }

  [[nodiscard]] Status start(const std::string& uuid) {
    if (file == nullptr) return unavailable("this machine has no NVML");
    if (!find(init, "nvmlInit_v2") || !find(shutdown, "nvmlShutdown") ||
        !find(by_uuid, "nvmlDeviceGetHandleByUUID"))
      return unavailable("this NVML lacks functions");
    find(utilization, "nvmlDeviceGetUtilizationRates");
    find(memory, "nvmlDeviceGetMemoryInfo");
    find(pcie, "nvmlDeviceGetPcieThroughput");
    find(power, "nvmlDeviceGetPowerUsage");
    find(energy, "nvmlDeviceGetTotalEnergyConsumption");
    find(clock, "nvmlDeviceGetClockInfo");
    if (const Code code = init(); code != success)
      return unavailable("NVML does not start: " + std::to_string(code));
    initialised = true;
    if (const Code code = by_uuid(uuid.c_str(), &device); code != success)
      return unavailable("NVML does not know " + uuid + ": " + std::to_string(code));
    return {};
  }

  void* file;
  bool initialised = false;
  Handle device = nullptr;
  Code (*init)() = nullptr;
  Code (*shutdown)() = nullptr;
  Code (*by_uuid)(const char*, Handle*) = nullptr;
  Code (*utilization)(Handle, Utilization*) = nullptr;
  Code (*memory)(Handle, Memory*) = nullptr;
  Code (*pcie)(Handle, unsigned, unsigned*) = nullptr;
  Code (*power)(Handle, unsigned*) = nullptr;
  Code (*energy)(Handle, unsigned long long*) = nullptr;
  Code (*clock)(Handle, unsigned, unsigned*) = nullptr;
};

Nvml::Nvml(std::unique_ptr<Library> library) : library_(std::move(library)) {}
Nvml::~Nvml() = default;

Result<std::unique_ptr<Nvml>> Nvml::open(const std::string& uuid) {
  auto library = std::make_unique<Library>();
  PENSTOCK_TRY(library->start(uuid));
  return std::unique_ptr<Nvml>(new Nvml(std::move(library)));
}

telemetry::DeviceSample Nvml::sample() {
  const Library& nvml = *library_;
  telemetry::DeviceSample out;
  Utilization used{};
  if (nvml.utilization && nvml.utilization(nvml.device, &used) == success) out.utilization = used.gpu / 100.0;
  Memory memory{};
  if (nvml.memory && nvml.memory(nvml.device, &memory) == success) out.memory_used_bytes = memory.used;
  constexpr std::uint64_t kilobyte = 1000;  // NVML counts KB a second
  unsigned number = 0;
  if (nvml.pcie && nvml.pcie(nvml.device, rx, &number) == success)
    out.pcie_to_device_per_second = number * kilobyte;
  if (nvml.pcie && nvml.pcie(nvml.device, tx, &number) == success)
    out.pcie_from_device_per_second = number * kilobyte;
  if (nvml.power && nvml.power(nvml.device, &number) == success) out.power_watts = number / 1e3;
  unsigned long long millijoules = 0;
  if (nvml.energy && nvml.energy(nvml.device, &millijoules) == success)
    out.energy_joules = static_cast<double>(millijoules) / 1e3;
  if (nvml.clock && nvml.clock(nvml.device, sm_clock, &number) == success) out.sm_clock_mhz = number;
  return out;
}

}  // namespace penstock::cuda
