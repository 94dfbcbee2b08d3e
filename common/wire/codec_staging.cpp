// The staging and the result conversation.
#include "common/wire/codec_internal.hpp"

namespace penstock::wire::codec {

Result<StageRequest> read(schema::StageRequest::Reader reader) {
  StageRequest out;
  out.partition = PENSTOCK_TRY(read(reader.getPartition()));
  out.circuit = PENSTOCK_TRY(circuit_id(reader.getCircuit()));
  out.worker = WorkerName(PENSTOCK_TRY(safe_name(reader.getWorker(), "worker name")));
  out.worker_incarnation = Incarnation(PENSTOCK_TRY(safe_name(reader.getWorkerIncarnation(), "incarnation")));
  out.host_id = PENSTOCK_TRY(text(reader.getHostId(), "host id"));
  out.kind = PENSTOCK_TRY(enumerator(reader.getKind(), PartitionKind::evaluated, "partition kind"));
  out.encoding = PENSTOCK_TRY(enumerator(reader.getEncoding(), Encoding::packed, "encoding"));
  out.size_bytes = reader.getSizeBytes();
  out.priority = PENSTOCK_TRY(enumerator(reader.getPriority(), Priority::critical, "priority"));
  out.remote = reader.getRemote();
  out.result_to = PENSTOCK_TRY(enumerator(reader.getResultTo(), ResultTo::worker, "receiver of the result"));
  return out;
}

void write(schema::StageRequest::Builder builder, const StageRequest& value) {
  write(builder.initPartition(), value.partition);
  builder.setCircuit(text_of(value.circuit.text()));
  builder.setWorker(text_of(value.worker.text()));
  builder.setWorkerIncarnation(text_of(value.worker_incarnation.text()));
  builder.setHostId(text_of(value.host_id));
  builder.setKind(to_wire<schema::PartitionKind>(value.kind));
  builder.setEncoding(to_wire<schema::Encoding>(value.encoding));
  builder.setSizeBytes(value.size_bytes);
  builder.setPriority(to_wire<schema::Priority>(value.priority));
  builder.setRemote(value.remote);
  builder.setResultTo(to_wire<schema::ResultTo>(value.result_to));
}

Result<StageGrant> read(schema::StageGrant::Reader reader) {
  StageGrant out;
  out.partition = PENSTOCK_TRY(read(reader.getPartition()));
  out.lease = reader.getLease();
  out.slab_token = FencingToken{reader.getSlabToken()};
  out.arena_path = PENSTOCK_TRY(text(reader.getArenaPath(), "arena path"));
  out.offset = reader.getOffset();
  out.size_bytes = reader.getSizeBytes();
  out.valid_for = PENSTOCK_TRY(milliseconds(reader.getValidForMs(), "lease time"));
  out.chunk_bytes = reader.getChunkBytes();
  out.chunk_credits = reader.getChunkCredits();
  out.received_bytes = reader.getReceivedBytes();
  return out;
}

void write(schema::StageGrant::Builder builder, const StageGrant& value) {
  write(builder.initPartition(), value.partition);
  builder.setLease(value.lease);
  builder.setSlabToken(static_cast<std::uint64_t>(value.slab_token));
  builder.setArenaPath(text_of(value.arena_path));
  builder.setOffset(value.offset);
  builder.setSizeBytes(value.size_bytes);
  builder.setValidForMs(to_count(value.valid_for));
  builder.setChunkBytes(value.chunk_bytes);
  builder.setChunkCredits(value.chunk_credits);
  builder.setReceivedBytes(value.received_bytes);
}

Result<StageChunk> read(schema::StageChunk::Reader reader) {
  return StageChunk{PENSTOCK_TRY(read(reader.getPartition())), reader.getLease(),
                    FencingToken{reader.getSlabToken()}, reader.getOffset(), reader.getChecksum()};
}

void write(schema::StageChunk::Builder builder, const StageChunk& value) {
  write(builder.initPartition(), value.partition);
  builder.setLease(value.lease);
  builder.setSlabToken(static_cast<std::uint64_t>(value.slab_token));
  builder.setOffset(value.offset);
  builder.setChecksum(value.checksum);
}

Result<StageCredit> read(schema::StageCredit::Reader reader) {
  return StageCredit{PENSTOCK_TRY(read(reader.getPartition())), reader.getLease(), reader.getReceivedBytes(),
                     reader.getRewind()};
}

void write(schema::StageCredit::Builder builder, const StageCredit& value) {
  write(builder.initPartition(), value.partition);
  builder.setLease(value.lease);
  builder.setReceivedBytes(value.received_bytes);
  builder.setRewind(value.rewind);
}

Result<StageCommit> read(schema::StageCommit::Reader reader) {
  StageCommit out;
  out.partition = PENSTOCK_TRY(read(reader.getPartition()));
  out.lease = reader.getLease();
  out.slab_token = FencingToken{reader.getSlabToken()};
  out.used_bytes = reader.getUsedBytes();
  out.digest = reader.getDigest();
  out.phases = PENSTOCK_TRY(read(reader.getPhases()));
  return out;
}

void write(schema::StageCommit::Builder builder, const StageCommit& value) {
  write(builder.initPartition(), value.partition);
  builder.setLease(value.lease);
  builder.setSlabToken(static_cast<std::uint64_t>(value.slab_token));
  builder.setUsedBytes(value.used_bytes);
  builder.setDigest(value.digest);
  write(builder.initPhases(phase_times_count(value.phases)), value.phases);
}

Result<StageAbandon> read(schema::StageAbandon::Reader reader) {
  return StageAbandon{PENSTOCK_TRY(read(reader.getPartition())), reader.getLease()};
}

void write(schema::StageAbandon::Builder builder, const StageAbandon& value) {
  write(builder.initPartition(), value.partition);
  builder.setLease(value.lease);
}

Result<StageAccepted> read(schema::StageAccepted::Reader reader) {
  return StageAccepted{PENSTOCK_TRY(read(reader.getPartition())), reader.getLease()};
}

void write(schema::StageAccepted::Builder builder, const StageAccepted& value) {
  write(builder.initPartition(), value.partition);
  builder.setLease(value.lease);
}

Result<StageRefused> read(schema::StageRefused::Reader reader) {
  StageRefused out;
  out.partition = PENSTOCK_TRY(read(reader.getPartition()));
  PENSTOCK_TRY(read_error(reader.getError(), out.error));
  out.retryable = reader.getRetryable();
  return out;
}

void write(schema::StageRefused::Builder builder, const StageRefused& value) {
  write(builder.initPartition(), value.partition);
  write(builder.initError(), value.error);
  builder.setRetryable(value.retryable);
}

Result<PartitionProved> read(schema::PartitionProved::Reader reader) {
  PartitionProved out;
  out.partition = PENSTOCK_TRY(read(reader.getPartition()));
  // Not bounded by max_text_bytes: a circuit may have many publics. The message's own limit holds.
  const capnp::Text::Reader proof = reader.getProofJson();
  const capnp::Text::Reader publics = reader.getPublicJson();
  out.proof_json.assign(proof.begin(), proof.size());
  out.public_json.assign(publics.begin(), publics.size());
  out.device = PENSTOCK_TRY(text(reader.getDevice(), "device"));
  out.phases = PENSTOCK_TRY(read(reader.getPhases()));
  return out;
}

void write(schema::PartitionProved::Builder builder, const PartitionProved& value) {
  write(builder.initPartition(), value.partition);
  builder.setProofJson(text_of(value.proof_json));
  builder.setPublicJson(text_of(value.public_json));
  builder.setDevice(text_of(value.device));
  write(builder.initPhases(phase_times_count(value.phases)), value.phases);
}

Result<ResultCommitted> read(schema::ResultCommitted::Reader reader) {
  return ResultCommitted{PENSTOCK_TRY(read(reader.getPartition()))};
}

void write(schema::ResultCommitted::Builder builder, const ResultCommitted& value) {
  write(builder.initPartition(), value.partition);
}

}  // namespace penstock::wire::codec
