// penstock-queue's configuration: section [queue] of the file, PENSTOCK_QUEUE_* in the environment, flags.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/runtime/config.hpp"

namespace penstock::queue {

struct Settings {
  std::string name = "queue";
  std::string http = "127.0.0.1:7780";
  std::string bind = "tcp://127.0.0.1:7700";  ///< a comma list
  std::string curve_key;                      ///< file; empty: the workers' sockets are plain
  std::string curve_clients;                  ///< folder of .pub files
  std::string ledger;                         ///< empty: DATA/ledger.sqlite
  std::string data = "data/queue";
  std::string circuits = "data/circuits";
  std::string import;  ///< empty: no registration by path
  std::string api_key;
  bool allow_insecure_keys = false;
  std::uint64_t max_body = std::uint64_t{512} << 20;
  std::int64_t max_queued_partitions = 10'000;
  std::int64_t max_partitions = 1024;  ///< of one job
  std::int64_t max_attempts = 3;
  std::chrono::milliseconds lease_timeout{15'000};
  std::chrono::milliseconds heartbeat_interval{1'000};
  std::chrono::milliseconds heartbeat_timeout{5'000};
  std::chrono::milliseconds drain_timeout{30'000};
  std::chrono::milliseconds keep_finished{7 * 24 * 3'600'000LL};  ///< then a finished job is forgotten
  std::string run;
  std::string log_level = "info";
  std::string log_format = "text";
};

void declare(runtime::ConfigReader& reader, Settings& settings);
/// What no single key can say. Errors: bad_request.
[[nodiscard]] Status check(const Settings& settings);
/// "a, b" -> {"a", "b"}; empty parts are dropped.
[[nodiscard]] std::vector<std::string> split_list(const std::string& text);

}  // namespace penstock::queue
