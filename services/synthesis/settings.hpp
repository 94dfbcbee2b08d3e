// penstock-synthesis's configuration: section [synthesis] of the file, PENSTOCK_SYNTHESIS_* in the
// environment, flags.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "common/runtime/config.hpp"

namespace penstock::synthesis {

struct Settings {
  std::string queue = "tcp://127.0.0.1:7700";
  std::string circuits = "circuits";
  std::string cache = "cache/programs";
  std::string metrics = "127.0.0.1:7792";
  std::string curve_key;         ///< file; empty: sockets are plain
  std::string queue_key;         ///< the queue's public key, or its file
  std::int64_t connections = 2;  ///< to each gpu service
  std::int64_t io_threads = 1;
  std::int64_t credits = 0;  ///< 0: one per core
  std::chrono::milliseconds witness_time_limit{60'000};
  std::uint64_t witness_memory_limit = std::uint64_t{4} << 30;
  std::uint64_t cache_bytes = std::uint64_t{2} << 30;
  bool check_r1cs = true;
  bool compile_ahead = true;
  std::chrono::milliseconds slab_wait_limit{600'000};
  std::chrono::milliseconds drain_timeout{60'000};
  std::string name;  ///< empty: the host's name
  std::string run;
  std::string log_level = "info";
  std::string log_format = "text";
};

void declare(runtime::ConfigReader& reader, Settings& settings);

}  // namespace penstock::synthesis
