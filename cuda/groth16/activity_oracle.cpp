#include "cuda/groth16/activity_oracle.hpp"

#if defined(PENSTOCK_CUPTI)
#include <cupti.h>
#include <dlfcn.h>

#include <cstdlib>
#include <mutex>
#endif

namespace penstock::cuda {
namespace {

[[maybe_unused]] Error unavailable(const std::string& why) {
  return {.code = ErrorCode::device_unavailable,
          .what = "there is no activity oracle: " + why,
          .hint = "it needs libcupti.so.13 in the loader's path; measurements do not"};
}

#if defined(PENSTOCK_CUPTI)

constexpr std::size_t buffer_bytes = std::size_t{8} << 20;
constexpr std::size_t record_alignment = 8;

SteadyTime at(std::uint64_t nanoseconds) {
  return SteadyTime(std::chrono::nanoseconds(nanoseconds));
}

/// What CUPTI's callbacks, which carry no argument of ours, write into.
struct Collected {
  std::mutex mutex;
  DeviceActivity activity;
  CUptiResult (*next_record)(std::uint8_t*, std::size_t, CUpti_Activity**) = nullptr;
};
Collected& collected() {
  static Collected one;
  return one;
}

void take_record(const CUpti_Activity& record, DeviceActivity& activity) {
  if (record.kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
    const auto& kernel = reinterpret_cast<const CUpti_ActivityKernel10&>(record);
    activity.kernels.push_back({at(kernel.start), at(kernel.end)});
  } else if (record.kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
    const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpy6&>(record);
    activity.copies.push_back({at(copy.start), at(copy.end)});
  }
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(record_alignment, buffer_bytes));
  *size = *buffer == nullptr ? 0 : buffer_bytes;
  *most_records = 0;
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t used) {
  {
    const std::lock_guard lock(collected().mutex);
    CUpti_Activity* record = nullptr;
    while (collected().next_record(buffer, used, &record) == CUPTI_SUCCESS)
      take_record(*record, collected().activity);
  }
  std::free(buffer);
}

std::uint64_t CUPTIAPI steady_nanoseconds() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

class CuptiOracle final : public ActivityOracle {
 public:
  CuptiOracle() : library_(dlopen("libcupti.so.13", RTLD_NOW | RTLD_LOCAL)) {}

  [[nodiscard]] Status start() {
    if (library_ == nullptr) return unavailable("no libcupti.so.13");
    const bool found = find(register_buffers_, "cuptiActivityRegisterCallbacks") &&
                       find(register_clock_, "cuptiActivityRegisterTimestampCallback") &&
                       find(enable_, "cuptiActivityEnable") && find(disable_, "cuptiActivityDisable") &&
                       find(flush_, "cuptiActivityFlushAll") &&
                       find(collected().next_record, "cuptiActivityGetNextRecord");
    if (!found) return unavailable("this CUPTI lacks functions");
    collected().activity = {};
    PENSTOCK_TRY(expect(register_clock_(steady_nanoseconds), "its clock"));
    PENSTOCK_TRY(expect(register_buffers_(give_buffer, take_buffer), "its buffers"));
    for (const auto kind : kinds) PENSTOCK_TRY(expect(enable_(kind), "its records"));
    return {};
  }

  [[nodiscard]] Result<DeviceActivity> stop() override {
    PENSTOCK_TRY(expect(flush_(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "its last records"));
    for (const auto kind : kinds) PENSTOCK_TRY(expect(disable_(kind), "its end"));
    const std::lock_guard lock(collected().mutex);
    return std::move(collected().activity);
  }

 private:
  static constexpr CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                                 CUPTI_ACTIVITY_KIND_MEMCPY};
  template <class Function>
  bool find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
    return function != nullptr;
  }
  static Status expect(CUptiResult code, const char* step) {
    if (code == CUPTI_SUCCESS) return {};
    return unavailable(std::string("CUPTI refuses ") + step + ": " + std::to_string(code));
  }
  void* library_;  // stays loaded: CUPTI does not bear being closed
  CUptiResult (*register_buffers_)(CUpti_BuffersCallbackRequestFunc,
                                   CUpti_BuffersCallbackCompleteFunc) = nullptr;
  CUptiResult (*register_clock_)(CUpti_TimestampCallbackFunc) = nullptr;
  CUptiResult (*enable_)(CUpti_ActivityKind) = nullptr;
  CUptiResult (*disable_)(CUpti_ActivityKind) = nullptr;
  CUptiResult (*flush_)(std::uint32_t) = nullptr;
};

#endif

}  // namespace

Result<std::unique_ptr<ActivityOracle>> start_activity_oracle() {
#if defined(PENSTOCK_CUPTI)
  auto oracle = std::make_unique<CuptiOracle>();
  PENSTOCK_TRY(oracle->start());
  return std::unique_ptr<ActivityOracle>(std::move(oracle));
#else
  return unavailable("this build has no CUPTI headers");
#endif
}

}  // namespace penstock::cuda
