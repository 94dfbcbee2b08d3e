#include "tests/contract/device/devices.hpp"

#include "common/groth16/host_device.hpp"

namespace penstock::groth16::testing {

std::vector<DeviceUnderTest> devices_under_test() {
  return {
      {"host_1_thread", [] { return make_host_device({.threads = 1}); }},
      {"host_pinned_tables",
       [] {
         return make_host_device({.threads = 2, .pinned = true, .table_bytes = std::uint64_t{1} << 30});
       }},
      {"host_3_threads", [] { return make_host_device({.threads = 3}); }},
  };
}

}  // namespace penstock::groth16::testing
