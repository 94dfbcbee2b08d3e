#include "services/gpu/settings.hpp"

namespace penstock::gpu {

void declare(runtime::ConfigReader& reader, Settings& settings) {
  reader.text("gpu.queue", settings.queue, "Address of the queue");
  reader.text("gpu.circuits", settings.circuits, "Folder of the registered circuits");
  reader.text("gpu.device", settings.device, "auto, cpu or cuda:N");
  reader.text("gpu.arena", settings.arena,
              "Shared-memory file of the slabs; default /dev/shm/penstock-NAME.arena");
  reader.size("gpu.arena_bytes", settings.arena_bytes, "Size of the arena");
  reader.text("gpu.bind", settings.bind, "Addresses for synthesis workers, comma separated (ipc://, tcp://)");
  reader.text("gpu.advertise", settings.advertise, "Addresses told to the queue instead of the bound ones");
  reader.text("gpu.metrics", settings.metrics,
              "host:port of /metrics, /healthz, /readyz; port 0 = a free one");
  reader.text(
      "gpu.curve_key", settings.curve_key,
      "File of this service's CURVE key (penstock keygen); empty = plain sockets, private networks only");
  reader.text("gpu.curve_clients", settings.curve_clients,
              "Folder of the .pub files of the synthesis workers that may connect");
  reader.text("gpu.queue_key", settings.queue_key, "The queue's public CURVE key, or its .pub file");
  reader.size("gpu.remote_window", settings.remote_window,
              "Bytes that remote workers may have on their way here; a quarter of it each");
  reader.number("gpu.io_threads", settings.io_threads, "Threads that encrypt and move messages", 1, 16);
  reader.number("gpu.lanes", settings.lanes, "Interleaved workers on the device", 1, 16);
  reader.number("gpu.threads", settings.threads, "Threads of the host device; 0 = all allowed", 0, 4096);
  reader.flag("gpu.pin_threads", settings.pin_threads,
              "Threads of the host device keep to one core each; for a machine of its own");
  reader.size("gpu.host_tables", settings.host_tables,
              "Memory for each circuit's fixed-base table on the host device; 0 = none");
  reader.duration("gpu.lease_valid", settings.lease_valid,
                  "How long a worker may hold a slab before it commits");
  reader.duration("gpu.circuit_wait", settings.circuit_wait,
                  "How long a request waits for its circuit's load");
  reader.duration("gpu.drain_timeout", settings.drain_timeout, "The longest a drain takes");
  reader.size("gpu.circuit_memory", settings.circuit_memory,
              "Budget of resident circuits; 0 = the device's memory");
  reader.text("gpu.key_cache", settings.key_cache,
              "Folder that remembers checked keys; empty = check each time");
  reader.flag("gpu.allow_insecure_keys", settings.allow_insecure_keys, "Prove with development keys");
  reader.number("gpu.quarantine_after", settings.quarantine_after, "Wrong proofs until the device is left", 1,
                1000);
  reader.text("gpu.name", settings.name, "Stable name of this service");
  reader.text("gpu.run", settings.run, "Folder in which the service announces itself");
  reader.text("log.level", settings.log_level, "trace, debug, info, warn, error");
  reader.text("log.format", settings.log_format, "text or json");
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts;
  std::string part;
  for (const char c : text + ",") {
    if (c == ',') {
      if (!part.empty()) parts.push_back(part);
      part.clear();
    } else if (c != ' ') {
      part += c;
    }
  }
  return parts;
}

}  // namespace penstock::gpu
