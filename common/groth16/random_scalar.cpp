#include "common/groth16/random_scalar.hpp"

#include <sys/random.h>

#include <cerrno>
#include <system_error>

namespace penstock::groth16 {

void os_random_bytes(std::span<std::byte> out) {
  while (!out.empty()) {
    const ssize_t got = getrandom(out.data(), out.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw std::system_error(errno, std::generic_category(), "getrandom");
    out = out.subspan(static_cast<std::size_t>(got));
  }
}

}  // namespace penstock::groth16
