// A suite that has this file among its sources runs on the arithmetic that PENSTOCK_TEST_ARITHMETIC names:
// `portable` (what every processor has), `adx`, or the processor's best when it is not set.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "common/algebra/lanes_path.hpp"
#include "common/algebra/product_path.hpp"

namespace penstock::algebra {
namespace {

class ArithmeticPath : public ::testing::Environment {
  void SetUp() override {
    const char* value = std::getenv("PENSTOCK_TEST_ARITHMETIC");
    const std::string_view wanted = value == nullptr ? "best" : value;
    ASSERT_TRUE(wanted == "best" || wanted == "adx" || wanted == "portable") << wanted;
    if (wanted == "best") return;
    select_lanes(LanePath::scalar);
    if (wanted == "portable") select_product(ProductPath::portable);
  }
};

[[maybe_unused]] const auto* const registered =
    ::testing::AddGlobalTestEnvironment(new ArithmeticPath);  // gtest owns it

}  // namespace
}  // namespace penstock::algebra
