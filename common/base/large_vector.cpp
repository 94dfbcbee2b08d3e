#include "common/base/large_vector.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace penstock {
namespace {

#if PENSTOCK_ADDRESS_SANITIZER
constexpr bool is_mapped(std::size_t) {
  return false;
}
#else
constexpr bool is_mapped(std::size_t bytes) {
  return bytes >= large_bytes;
}
#endif

std::size_t whole_pages(std::size_t bytes) {
  static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

std::byte* map(std::size_t size) {
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(memory);
}

/// At a huge page's border: mapped with room for one more, what lies outside is given back.
std::byte* map_aligned(std::size_t size) {
  std::byte* mapped = map(size + huge_page_bytes);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(mapped) % huge_page_bytes;
  if (before != 0) ::munmap(mapped, before);
  if (before != huge_page_bytes) ::munmap(mapped + before + size, huge_page_bytes - before);
  return mapped + before;
}

/// Huge pages for the whole ones; the rest in one call, not fault by fault. An older or a tuned system may
/// refuse either: small pages come as they are touched, then.
void prepare(std::byte* memory, std::size_t size) {
  const std::size_t huge = size / huge_page_bytes * huge_page_bytes;
  if (huge != 0) ::madvise(memory, huge, MADV_HUGEPAGE);
#if defined(MADV_POPULATE_WRITE)
  if (size != huge) ::madvise(memory + huge, size - huge, MADV_POPULATE_WRITE);
#endif
}

}  // namespace

void* allocate_large(std::size_t bytes, std::size_t alignment) {
  if (!is_mapped(bytes)) return ::operator new(bytes, std::align_val_t(alignment));
  const std::size_t size = whole_pages(bytes);
  if (size < bytes || size > SIZE_MAX - huge_page_bytes) throw std::bad_alloc();
  std::byte* memory = size < huge_page_bytes ? map(size) : map_aligned(size);
  prepare(memory, size);
  return memory;
}

void free_large(void* memory, std::size_t bytes, std::size_t alignment) noexcept {
  if (is_mapped(bytes))
    ::munmap(memory, whole_pages(bytes));
  else
    ::operator delete(memory, std::align_val_t(alignment));
}

}  // namespace penstock
