#include "services/queue/settings.hpp"

#include "common/base/ids.hpp"
#include "common/runtime/address.hpp"
#include "services/queue/api_keys.hpp"

namespace penstock::queue {

void declare(runtime::ConfigReader& reader, Settings& settings) {
  reader.text("queue.name", settings.name, "the service's name in logs, status and RUN/NAME.json");
  reader.text("queue.http", settings.http, "HOST:PORT of the HTTP API; port 0 takes a free one");
  reader.text("queue.bind", settings.bind, "addresses for the workers, separated by commas");
  reader.text(
      "queue.curve_key", settings.curve_key,
      "file of the queue's CURVE key (penstock keygen); empty = plain sockets, private networks only");
  reader.text("queue.curve_clients", settings.curve_clients,
              "folder of the .pub files of the workers that may connect");
  reader.text("queue.ledger", settings.ledger,
              "the ledger: a path or sqlite:PATH; default DATA/ledger.sqlite");
  reader.text("queue.data", settings.data, "the folder of the ledger and of unfinished partitions' inputs");
  reader.text("queue.circuits", settings.circuits, "the folder of the registered circuits");
  reader.text("queue.import", settings.import, "the folder below which circuits are registered by path");
  reader.secret("queue.api_key", settings.api_key, "keys of the HTTP API, separated by commas");
  reader.flag("queue.allow_insecure_keys", settings.allow_insecure_keys,
              "take keys made by setup --insecure-dev");
  reader.size("queue.max_body", settings.max_body, "the largest request body");
  reader.number("queue.max_queued_partitions", settings.max_queued_partitions, "partitions that may wait", 1,
                10'000'000);
  reader.number("queue.max_partitions", settings.max_partitions, "partitions of one job", 1, 100'000);
  reader.number("queue.max_attempts", settings.max_attempts, "attempts at a partition that workers fail", 1,
                100);
  reader.duration("queue.lease_timeout", settings.lease_timeout, "a lease that nobody confirms ends after");
  reader.duration("queue.heartbeat_interval", settings.heartbeat_interval, "between heartbeats");
  reader.duration("queue.heartbeat_timeout", settings.heartbeat_timeout, "a silent worker is lost after");
  reader.duration("queue.drain_timeout", settings.drain_timeout,
                  "how long a shutdown waits for leased partitions");
  reader.duration("queue.keep_finished", settings.keep_finished,
                  "a finished job is forgotten after; 0s keeps it for ever");
  reader.text("queue.run", settings.run, "the folder in which NAME.json announces this service");
  reader.text("log.level", settings.log_level, "trace, debug, info, warn, error or off");
  reader.text("log.format", settings.log_format, "text or json");
}

Status check(const Settings& settings) {
  const auto refused = [](std::string what, std::string hint) {
    return Error{.code = ErrorCode::bad_request, .what = std::move(what), .hint = std::move(hint)};
  };
  if (!is_safe_name(settings.name))
    return refused("queue.name is not a name", "use letters, digits, '_', '-' and '.'");
  const auto http = PENSTOCK_TRY(runtime::parse_address_port(settings.http));
  const auto keys = PENSTOCK_TRY(ApiKeys::parse(settings.api_key));
  if (!runtime::is_loopback(http.address) && !keys.required())
    return refused("queue.http is reachable from other machines and there is no API key",
                   "set queue.api_key (PENSTOCK_QUEUE_API_KEY or _FILE), or bind to 127.0.0.1");
  if (split_list(settings.bind).empty())
    return refused("queue.bind names no address", "e.g. tcp://127.0.0.1:7700");
  if (settings.heartbeat_interval.count() < 10 ||
      settings.heartbeat_timeout < 2 * settings.heartbeat_interval)
    return refused("queue.heartbeat_timeout is shorter than two heartbeat intervals",
                   "the defaults are 5s and 1s");
  if (settings.lease_timeout < settings.heartbeat_timeout)
    return refused("queue.lease_timeout is shorter than queue.heartbeat_timeout",
                   "heartbeats confirm leases");
  return {};
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts;
  std::string part;
  for (const char c : text + ",") {
    if (c != ',') {
      if (c != ' ') part += c;
    } else if (!part.empty()) {
      parts.push_back(std::exchange(part, {}));
    }
  }
  return parts;
}

}  // namespace penstock::queue
