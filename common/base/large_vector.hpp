// LargeVector<T>: a std::vector for the big working sets of a proof. Its memory comes in huge pages where the
// system gives them (transparent_hugepage "always" or "madvise"), and new elements are not written: resize()
// leaves trivial values as they come, assign() and the filling constructor write.
// Ownership: as std::vector's. Threads: as std::vector's. Errors: std::bad_alloc.
// Cost: from large_bytes up a few system calls and one page fault for each 2 MiB, where small pages take 512
// faults (5 to 10 us each in a virtual machine); below, operator new.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

// The address sanitizer watches what operator new gives, so that gives everything under it (g++, clang).
#if defined(__SANITIZE_ADDRESS__)
#define PENSTOCK_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PENSTOCK_ADDRESS_SANITIZER 1
#endif
#endif
#if !defined(PENSTOCK_ADDRESS_SANITIZER)
#define PENSTOCK_ADDRESS_SANITIZER 0
#endif

namespace penstock {

inline constexpr std::size_t large_bytes = std::size_t{128} << 10;
inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

/// REQUIRES alignment of at most a page. Throws std::bad_alloc.
[[nodiscard]] void* allocate_large(std::size_t bytes, std::size_t alignment);
void free_large(void* memory, std::size_t bytes, std::size_t alignment) noexcept;

template <class T>
class LargeAllocator {
 public:
  using value_type = T;
  LargeAllocator() = default;
  template <class U>
  LargeAllocator(const LargeAllocator<U>&) {}  // NOLINT(google-explicit-constructor): allocators convert

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(allocate_large(count * sizeof(T), alignof(T)));
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    free_large(memory, count * sizeof(T), alignof(T));
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    if constexpr (sizeof...(Arguments) == 0)
      ::new (static_cast<void*>(place)) U;  // default-initialised: a trivial value is not written
    else
      ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }
  friend bool operator==(const LargeAllocator&, const LargeAllocator&) { return true; }
};

template <class T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

}  // namespace penstock
