// How fast partitions come in over loopback TCP: chunks within credits, checksummed on both sides, copied
// once into the receiver's memory, as the GPU service does it; plain or under CURVE, over several
// connections. Threads: its own, ended before it returns. Errors: the transport's; internal when what arrived
// is not what was sent.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/result.hpp"

namespace penstock::cli::bench {

struct RemoteSettings {
  int connections = 1;
  bool curve = false;
  int io_threads = 2;                              ///< of the receiver; each sender has one
  std::uint64_t bytes = std::uint64_t{512} << 20;  ///< over all connections
  std::uint32_t chunk_bytes = std::uint32_t{1} << 20;
  std::uint32_t credits = 8;
};

struct RemoteRate {
  RemoteSettings settings;
  double gb_per_second = 0;
};

[[nodiscard]] Result<RemoteRate> measure_remote(const RemoteSettings& settings);

}  // namespace penstock::cli::bench
