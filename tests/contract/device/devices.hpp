// The devices that the contract is tried on. A device that this machine lacks gives no factory.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/groth16/proving_device.hpp"

namespace penstock::groth16::testing {

struct DeviceUnderTest {
  std::string name;
  std::function<std::unique_ptr<ProvingDevice>()> make;
};
[[nodiscard]] std::vector<DeviceUnderTest> devices_under_test();

}  // namespace penstock::groth16::testing
