#include "common/wire/codec_internal.hpp"

namespace penstock::wire::codec {
namespace {

Result<GpuRoute> read_route(schema::GpuRoute::Reader reader) {
  GpuRoute out;
  out.name = WorkerName(PENSTOCK_TRY(safe_name(reader.getName(), "gpu service's name")));
  out.incarnation =
      Incarnation(PENSTOCK_TRY(safe_name(reader.getIncarnation(), "gpu service's incarnation")));
  out.data_endpoints = PENSTOCK_TRY(endpoints(reader.getDataEndpoints()));
  out.host_id = PENSTOCK_TRY(text(reader.getHostId(), "host id"));
  out.curve_key = PENSTOCK_TRY(text(reader.getCurveKey(), "CURVE key"));
  return out;
}

void write_route(schema::GpuRoute::Builder builder, const GpuRoute& value) {
  builder.setName(text_of(value.name.text()));
  builder.setIncarnation(text_of(value.incarnation.text()));
  write_endpoints(builder.initDataEndpoints(static_cast<unsigned>(value.data_endpoints.size())),
                  value.data_endpoints);
  builder.setHostId(text_of(value.host_id));
  builder.setCurveKey(text_of(value.curve_key));
}

}  // namespace

Result<SynthesisTask> read(schema::SynthesisTask::Reader reader) {
  SynthesisTask out;
  out.partition = PENSTOCK_TRY(read(reader.getPartition()));
  out.circuit = PENSTOCK_TRY(read(reader.getCircuit()));
  out.input_kind = PENSTOCK_TRY(enumerator(reader.getInputKind(), InputKind::wtns, "input kind"));
  const capnp::Data::Reader input = reader.getInput();
  const auto* begin = reinterpret_cast<const std::byte*>(input.begin());
  out.input.assign(begin, begin + input.size());
  out.priority = PENSTOCK_TRY(enumerator(reader.getPriority(), Priority::critical, "priority"));
  if (reader.getHasDeadline())
    out.deadline_in = PENSTOCK_TRY(milliseconds(reader.getDeadlineInMs(), "deadline"));
  out.gpu = PENSTOCK_TRY(read_route(reader.getGpu()));
  return out;
}

void write(schema::SynthesisTask::Builder builder, const SynthesisTask& value) {
  write(builder.initPartition(), value.partition);
  write(builder.initCircuit(), value.circuit);
  builder.setInputKind(to_wire<schema::InputKind>(value.input_kind));
  builder.setInput({reinterpret_cast<const kj::byte*>(value.input.data()), value.input.size()});
  builder.setPriority(to_wire<schema::Priority>(value.priority));
  builder.setHasDeadline(value.deadline_in.has_value());
  if (value.deadline_in) builder.setDeadlineInMs(to_count(*value.deadline_in));
  write_route(builder.initGpu(), value.gpu);
}

Result<PartitionProgress> read(schema::PartitionProgress::Reader reader) {
  return PartitionProgress{PENSTOCK_TRY(read(reader.getPartition())),
                           PENSTOCK_TRY(enumerator(reader.getStage(), PartitionStage::proving, "stage"))};
}

void write(schema::PartitionProgress::Builder builder, const PartitionProgress& value) {
  write(builder.initPartition(), value.partition);
  builder.setStage(to_wire<schema::PartitionStage>(value.stage));
}

Result<PartitionStaged> read(schema::PartitionStaged::Reader reader) {
  PartitionStaged out;
  out.partition = PENSTOCK_TRY(read(reader.getPartition()));
  out.gpu = Incarnation(PENSTOCK_TRY(safe_name(reader.getGpu(), "gpu service's incarnation")));
  out.phases = PENSTOCK_TRY(read(reader.getPhases()));
  return out;
}

void write(schema::PartitionStaged::Builder builder, const PartitionStaged& value) {
  write(builder.initPartition(), value.partition);
  builder.setGpu(text_of(value.gpu.text()));
  write(builder.initPhases(phase_times_count(value.phases)), value.phases);
}

Result<PartitionFailed> read(schema::PartitionFailed::Reader reader) {
  PartitionFailed out;
  out.partition = PENSTOCK_TRY(read(reader.getPartition()));
  PENSTOCK_TRY(read_error(reader.getError(), out.error));
  out.retryable = reader.getRetryable();
  out.phases = PENSTOCK_TRY(read(reader.getPhases()));
  return out;
}

void write(schema::PartitionFailed::Builder builder, const PartitionFailed& value) {
  write(builder.initPartition(), value.partition);
  write(builder.initError(), value.error);
  builder.setRetryable(value.retryable);
  write(builder.initPhases(phase_times_count(value.phases)), value.phases);
}

}  // namespace penstock::wire::codec
