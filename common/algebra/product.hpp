// The arithmetic of a field, and which code computes it: constant evaluation takes the portable form, a
// device its own product (below), a host the path that product_path.hpp selected. Ownership: arrays of the
// caller; a result may be an operand. Errors: none; operands and results are canonical.
//
// The device: PENSTOCK_DEVICE_PRODUCT_HEADER (set by cuda/) names the header whose DeviceProduct<Params>
// provides multiply, add, subtract(result, a, b) and square(result, a) over limb_count 64-bit limbs.
#pragma once

#include <cstdint>
#include <type_traits>

#include "common/algebra/field_constants.hpp"
#include "common/algebra/limbs.hpp"
#include "common/algebra/product_host.hpp"
#include "common/base/host_device.hpp"

#if defined(__CUDACC__)
#include PENSTOCK_DEVICE_PRODUCT_HEADER
#endif

namespace penstock::algebra {

#if defined(__CUDA_ARCH__)
template <class Params>
using RunTime = DeviceProduct<Params>;
#else
template <class Params>
using RunTime = host::Arithmetic<Params>;
#endif

template <class Params, int n>
PENSTOCK_HD constexpr void add(std::uint64_t (&result)[n], const std::uint64_t (&a)[n],
                               const std::uint64_t (&b)[n]) {
  if (!std::is_constant_evaluated()) return RunTime<Params>::add(result, a, b);
  constexpr auto modulus = FieldConstants<Params>::modulus;  // a copy: device code cannot name the member
  limbs::modular_sum(result, a, b, modulus.limb);
}

template <class Params, int n>
PENSTOCK_HD constexpr void subtract(std::uint64_t (&result)[n], const std::uint64_t (&a)[n],
                                    const std::uint64_t (&b)[n]) {
  if (!std::is_constant_evaluated()) return RunTime<Params>::subtract(result, a, b);
  constexpr auto modulus = FieldConstants<Params>::modulus;  // a copy: device code cannot name the member
  limbs::modular_difference(result, a, b, modulus.limb);
}

template <class Params, int n>
PENSTOCK_HD constexpr void multiply(std::uint64_t (&result)[n], const std::uint64_t (&a)[n],
                                    const std::uint64_t (&b)[n]) {
  if (!std::is_constant_evaluated()) return RunTime<Params>::multiply(result, a, b);
  constexpr auto modulus = FieldConstants<Params>::modulus;
  limbs::montgomery_product(result, a, b, modulus.limb, FieldConstants<Params>::negated_inverse);
}

template <class Params, int n>
PENSTOCK_HD constexpr void square(std::uint64_t (&result)[n], const std::uint64_t (&a)[n]) {
  if (!std::is_constant_evaluated()) return RunTime<Params>::square(result, a);
  multiply<Params>(result, a, a);
}

}  // namespace penstock::algebra
