// A loop that every compiler unrolls, at any level: g++ drops loops over asm rows at -O2, nvcc ignores g++'s
// pragma.
#pragma once

#include <utility>

namespace penstock::algebra {

/// body(0), …, body(n - 1), each with a constant. The body is a lambda marked always_inline.
template <int n, class Body>
[[gnu::always_inline]] inline void unrolled(const Body& body) {
  [&body]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
    (body(i), ...);
  }
  (std::make_integer_sequence<int, n>{});
}

}  // namespace penstock::algebra
