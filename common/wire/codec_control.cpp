#include "common/wire/codec_internal.hpp"

namespace penstock::wire::codec {

Result<Hello> read(schema::Hello::Reader reader) {
  Hello out;
  out.protocol = reader.getProtocol();
  out.kind = PENSTOCK_TRY(enumerator(reader.getKind(), WorkerKind::gpu, "worker kind"));
  out.name = WorkerName(PENSTOCK_TRY(safe_name(reader.getName(), "worker name")));
  out.incarnation = Incarnation(PENSTOCK_TRY(safe_name(reader.getIncarnation(), "incarnation")));
  out.version = PENSTOCK_TRY(text(reader.getVersion(), "version"));
  out.pid = reader.getPid();
  out.host_id = PENSTOCK_TRY(text(reader.getHostId(), "host id"));
  out.credits = reader.getCredits();
  out.metrics_address = PENSTOCK_TRY(text(reader.getMetricsAddress(), "metrics address"));
  out.data_endpoints = PENSTOCK_TRY(endpoints(reader.getDataEndpoints()));
  out.device = PENSTOCK_TRY(text(reader.getDevice(), "device"));
  out.arena_bytes = reader.getArenaBytes();
  out.allow_insecure_keys = reader.getAllowInsecureKeys();
  out.curve_key = PENSTOCK_TRY(text(reader.getCurveKey(), "CURVE key"));
  return out;
}

void write(schema::Hello::Builder builder, const Hello& value) {
  builder.setProtocol(value.protocol);
  builder.setKind(to_wire<schema::WorkerKind>(value.kind));
  builder.setName(text_of(value.name.text()));
  builder.setIncarnation(text_of(value.incarnation.text()));
  builder.setVersion(text_of(value.version));
  builder.setPid(value.pid);
  builder.setHostId(text_of(value.host_id));
  builder.setCredits(value.credits);
  builder.setMetricsAddress(text_of(value.metrics_address));
  write_endpoints(builder.initDataEndpoints(static_cast<unsigned>(value.data_endpoints.size())),
                  value.data_endpoints);
  builder.setDevice(text_of(value.device));
  builder.setArenaBytes(value.arena_bytes);
  builder.setAllowInsecureKeys(value.allow_insecure_keys);
  builder.setCurveKey(text_of(value.curve_key));
}

Result<Welcome> read(schema::Welcome::Reader reader) {
  Welcome out;
  out.queue = Incarnation(PENSTOCK_TRY(safe_name(reader.getQueue(), "incarnation")));
  out.heartbeat_interval = PENSTOCK_TRY(milliseconds(reader.getHeartbeatIntervalMs(), "heartbeat interval"));
  out.heartbeat_timeout = PENSTOCK_TRY(milliseconds(reader.getHeartbeatTimeoutMs(), "heartbeat timeout"));
  const auto circuits = reader.getCircuits();
  if (circuits.size() > max_list_length) return bad("list of circuits", "is too long");
  for (const auto circuit : circuits) out.circuits.push_back(PENSTOCK_TRY(read(circuit)));
  return out;
}

void write(schema::Welcome::Builder builder, const Welcome& value) {
  builder.setQueue(text_of(value.queue.text()));
  builder.setHeartbeatIntervalMs(to_count(value.heartbeat_interval));
  builder.setHeartbeatTimeoutMs(to_count(value.heartbeat_timeout));
  auto circuits = builder.initCircuits(static_cast<unsigned>(value.circuits.size()));
  for (unsigned i = 0; i < circuits.size(); ++i) write(circuits[i], value.circuits[i]);
}

Result<Heartbeat> read(schema::Heartbeat::Reader reader) {
  Heartbeat out;
  out.incarnation = Incarnation(PENSTOCK_TRY(safe_name(reader.getIncarnation(), "incarnation")));
  out.credits_free = reader.getCreditsFree();
  const auto in_flight = reader.getInFlight();
  if (in_flight.size() > max_list_length) return bad("list of partitions in flight", "is too long");
  for (const auto partition : in_flight) out.in_flight.push_back(PENSTOCK_TRY(read(partition)));
  return out;
}

void write(schema::Heartbeat::Builder builder, const Heartbeat& value) {
  builder.setIncarnation(text_of(value.incarnation.text()));
  builder.setCreditsFree(value.credits_free);
  auto in_flight = builder.initInFlight(static_cast<unsigned>(value.in_flight.size()));
  for (unsigned i = 0; i < in_flight.size(); ++i) write(in_flight[i], value.in_flight[i]);
}

Result<Goodbye> read(schema::Goodbye::Reader reader) {
  return Goodbye{Incarnation(PENSTOCK_TRY(safe_name(reader.getIncarnation(), "incarnation")))};
}

void write(schema::Goodbye::Builder builder, const Goodbye& value) {
  builder.setIncarnation(text_of(value.incarnation.text()));
}

Result<Refused> read(schema::Refused::Reader reader) {
  Refused out;
  PENSTOCK_TRY(read_error(reader.getError(), out.error));
  return out;
}

void write(schema::Refused::Builder builder, const Refused& value) {
  write(builder.initError(), value.error);
}

Result<CircuitOffer> read(schema::CircuitOffer::Reader reader) {
  return CircuitOffer{PENSTOCK_TRY(read(reader.getCircuit())), reader.getPreload()};
}

void write(schema::CircuitOffer::Builder builder, const CircuitOffer& value) {
  write(builder.initCircuit(), value.circuit);
  builder.setPreload(value.preload);
}

Result<CircuitWithdrawn> read(schema::CircuitWithdrawn::Reader reader) {
  return CircuitWithdrawn{PENSTOCK_TRY(circuit_id(reader.getCircuit())), reader.getRemove()};
}

void write(schema::CircuitWithdrawn::Builder builder, const CircuitWithdrawn& value) {
  builder.setCircuit(text_of(value.circuit.text()));
  builder.setRemove(value.remove);
}

Result<CancelPartition> read(schema::CancelPartition::Reader reader) {
  return CancelPartition{PENSTOCK_TRY(read(reader.getPartition()))};
}

void write(schema::CancelPartition::Builder builder, const CancelPartition& value) {
  write(builder.initPartition(), value.partition);
}

Result<Drain> read(schema::Drain::Reader /*reader*/) {
  return Drain{};
}

void write(schema::Drain::Builder /*builder*/, const Drain& /*value*/) {}

}  // namespace penstock::wire::codec
