#include "services/synthesis/settings.hpp"

namespace penstock::synthesis {

void declare(runtime::ConfigReader& reader, Settings& settings) {
  reader.text("synthesis.queue", settings.queue, "Address of the queue");
  reader.text("synthesis.circuits", settings.circuits, "Folder of the registered circuits");
  reader.text("synthesis.cache", settings.cache, "Folder of compiled witness programs; ours alone (0700)");
  reader.size("synthesis.cache_bytes", settings.cache_bytes,
              "Bound of that folder; the least recently used go first");
  reader.text("synthesis.metrics", settings.metrics,
              "host:port of /metrics, /healthz, /readyz; port 0 = a free one");
  reader.text(
      "synthesis.curve_key", settings.curve_key,
      "File of this worker's CURVE key (penstock keygen); empty = plain sockets, private networks only");
  reader.text("synthesis.queue_key", settings.queue_key, "The queue's public CURVE key, or its .pub file");
  reader.number("synthesis.connections", settings.connections,
                "Connections to each gpu service, for partitions sent in chunks", 1, 16);
  reader.number("synthesis.io_threads", settings.io_threads, "Threads that encrypt and move messages", 1, 16);
  reader.number("synthesis.credits", settings.credits, "Partitions worked on at once; 0 = one per core", 0,
                1024);
  reader.duration("synthesis.witness_time_limit", settings.witness_time_limit, "Wall time of one witness");
  reader.size("synthesis.witness_memory_limit", settings.witness_memory_limit,
              "Memory of one witness program");
  reader.flag("synthesis.check_r1cs", settings.check_r1cs,
              "Check each witness where the circuit's r1cs is registered");
  reader.flag("synthesis.compile_ahead", settings.compile_ahead,
              "Compile a circuit's program when it is offered");
  reader.duration("synthesis.slab_wait_limit", settings.slab_wait_limit, "The longest wait for a slab");
  reader.duration("synthesis.drain_timeout", settings.drain_timeout, "The longest a drain takes");
  reader.text("synthesis.name", settings.name,
              "Stable name of this service, its own among all; empty: the host's name");
  reader.text("synthesis.run", settings.run, "Folder in which the service announces itself");
  reader.text("log.level", settings.log_level, "trace, debug, info, warn, error");
  reader.text("log.format", settings.log_format, "text or json");
}

}  // namespace penstock::synthesis
