// penstock-gpu's configuration: section [gpu] of the file, PENSTOCK_GPU_* in the environment, flags.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "common/runtime/config.hpp"

namespace penstock::gpu {

struct Settings {
  std::string queue = "tcp://127.0.0.1:7700";
  std::string circuits = "circuits";
  std::string device = "auto";
  std::string arena;  ///< empty: /dev/shm/penstock-NAME.arena
  std::uint64_t arena_bytes = std::uint64_t{512} << 20;
  std::string bind = "tcp://127.0.0.1:7710";
  std::string advertise;
  std::string metrics = "127.0.0.1:7791";
  std::string curve_key;      ///< file; empty: sockets are plain
  std::string curve_clients;  ///< folder of .pub files
  std::string queue_key;      ///< the queue's public key, or its file
  std::uint64_t remote_window = std::uint64_t{256} << 20;
  std::int64_t io_threads = 2;
  std::int64_t lanes = 2;
  std::int64_t threads = 0;
  bool pin_threads = false;
  std::uint64_t host_tables = 0;
  std::chrono::milliseconds lease_valid{30'000};
  std::chrono::milliseconds circuit_wait{60'000};
  std::chrono::milliseconds drain_timeout{30'000};
  std::uint64_t circuit_memory = 0;
  std::string key_cache;
  bool allow_insecure_keys = false;
  std::int64_t quarantine_after = 3;
  std::string name;  ///< empty: gpu-cpu, gpu-0, ...
  std::string run;
  std::string log_level = "info";
  std::string log_format = "text";
};

void declare(runtime::ConfigReader& reader, Settings& settings);

/// "a, b" -> {"a", "b"}; empty parts are dropped.
[[nodiscard]] std::vector<std::string> split_list(const std::string& text);

}  // namespace penstock::gpu
