#include <fstream>

#include "common/base/ids.hpp"
#include "common/wire/arena.hpp"

namespace penstock::wire {

std::string host_id() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  // Without it no two processes may believe that they share memory.
  return id.empty() ? random_uuid() : id;
}

}  // namespace penstock::wire
