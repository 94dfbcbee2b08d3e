#include "common/base/sensitive.hpp"

#include <cstring>

namespace penstock {

void wipe(std::span<std::byte> memory) noexcept {
  if (!memory.empty()) explicit_bzero(memory.data(), memory.size());
}

}  // namespace penstock
