// Which machine code multiplies field elements on this host: the portable path, or MULX with two carry
// chains. The processor is asked once, when the program is loaded; tests and benchmarks choose a path
// themselves. Threads: select_product is not meant to race with arithmetic, though both paths give equal
// results.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace penstock::algebra {

enum class ProductPath : std::uint8_t { portable, adx };

inline constexpr std::array<std::string_view, 2> product_path_names = {"portable", "adx"};

[[nodiscard]] constexpr std::string_view name(ProductPath path) {
  return product_path_names[static_cast<std::size_t>(path)];
}

/// The fastest path that this processor has.
[[nodiscard]] ProductPath best_product();

/// The path in use.
[[nodiscard]] ProductPath active_product();

/// Makes every later product take `path`, or best_product() when the processor lacks it.
void select_product(ProductPath path);

namespace detail {
// Read by every host product; false until the loader has run the constructor in product_path.cpp.
extern std::atomic<bool> adx_enabled __attribute__((visibility("hidden")));
}  // namespace detail

}  // namespace penstock::algebra
