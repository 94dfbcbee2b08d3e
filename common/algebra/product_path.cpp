#include "common/algebra/product_path.hpp"

namespace penstock::algebra {
namespace {

bool processor_has_adx() {
#if defined(__x86_64__) && defined(__OPTIMIZE__)
  __builtin_cpu_init();
  unsigned eax = 7, ebx = 0, ecx = 0, edx = 0;
  if (!__builtin_cpu_supports("bmi2")) return false;
  asm("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
  constexpr unsigned adx_bit = 1U << 19;  // CPUID leaf 7, EBX: ADCX and ADOX
  return (ebx & adx_bit) != 0;
#else
  return false;
#endif
}

}  // namespace

namespace detail {
std::atomic<bool> adx_enabled{false};
}

ProductPath best_product() {
  static const bool has_adx = processor_has_adx();
  return has_adx ? ProductPath::adx : ProductPath::portable;
}

ProductPath active_product() {
  return detail::adx_enabled.load(std::memory_order_relaxed) ? ProductPath::adx : ProductPath::portable;
}

void select_product(ProductPath path) {
  const bool adx = path == ProductPath::adx && best_product() == ProductPath::adx;
  detail::adx_enabled.store(adx, std::memory_order_relaxed);
}

namespace {
[[maybe_unused]] const bool selected_at_load = (select_product(ProductPath::adx), true);
}

}  // namespace penstock::algebra
