#include "services/queue/sqlite_rows.hpp"

#include "services/queue/phase_text.hpp"

namespace penstock::queue {

namespace {

template <class T>
T required(const std::optional<T>& value, const char* column) {
  if (!value) throw BadRow(std::string("an unknown name in column ") + column);
  return *value;
}

std::optional<WallMillis> optional_time(const std::optional<std::int64_t>& millis) {
  if (!millis) return std::nullopt;
  return WallMillis(std::chrono::milliseconds(*millis));
}

PartitionRecord partition_from_row(const SqliteStatement& row) {
  PartitionRecord partition;
  partition.index = static_cast<std::uint32_t>(row.integer(0));
  partition.input_kind = row.text(1) == "wtns" ? wire::InputKind::wtns : wire::InputKind::json;
  partition.state = required(partition_state_from(row.text(2)), "state");
  partition.attempts = static_cast<std::uint32_t>(row.integer(3));
  partition.failures = static_cast<std::uint32_t>(row.integer(4));
  partition.losses = static_cast<std::uint32_t>(row.integer(5));
  partition.phases = phases_from_text(row.text(6));
  partition.end.state = partition.state;
  partition.end.proof_json = row.text(7);
  partition.end.public_json = row.text(8);
  partition.end.device = row.text(9);
  if (!row.is_null(10)) {
    Error error{.code = required(error_code_from(row.text(10)), "error_code"),
                .what = row.text(11),
                .hint = row.text(12),
                .file = row.text(13)};
    if (const auto offset = row.optional_integer(14)) error.offset = static_cast<std::uint64_t>(*offset);
    partition.end.error = std::move(error);
  }
  return partition;
}

}  // namespace

JobRecord job_from_row(const SqliteStatement& row) {
  JobRecord job;
  job.sequence = static_cast<std::uint64_t>(row.integer(0));
  job.id = JobId(row.text(1));
  job.circuit = row.text(2);
  job.circuit_id = CircuitId(row.text(3));
  job.curve = required(curve_from(row.text(4)), "curve");
  job.priority = required(priority_from(row.text(5)), "priority");
  job.state = required(job_state_from(row.text(6)), "state");
  job.created = WallMillis(std::chrono::milliseconds(row.integer(7)));
  job.deadline = optional_time(row.optional_integer(8));
  job.finished = optional_time(row.optional_integer(9));
  return job;
}

void read_partitions(const SqliteConnection& connection, JobRecord& job) {
  auto rows = connection.prepare(
      "SELECT position, input_kind, state, attempts, failures, losses, phases, proof, public, device, "
      "error_code, error_what, error_hint, error_file, error_offset FROM partitions WHERE job = ? "
      "ORDER BY position");
  rows.bind(static_cast<std::int64_t>(job.sequence));
  while (rows.step()) job.partitions.push_back(partition_from_row(rows));
}

std::vector<CircuitRecord> read_circuits(const SqliteConnection& connection) {
  auto rows = connection.prepare(
      "SELECT name, id, curve, has_wasm, has_r1cs, has_sym, insecure_dev, variables, publics, domain_size, "
      "created_ms FROM circuits ORDER BY name");
  std::vector<CircuitRecord> circuits;
  while (rows.step()) {
    CircuitRecord circuit;
    circuit.ref.name = rows.text(0);
    circuit.ref.id = CircuitId(rows.text(1));
    circuit.ref.curve = required(curve_from(rows.text(2)), "curve");
    circuit.ref.has_wasm = rows.integer(3) != 0;
    circuit.ref.has_r1cs = rows.integer(4) != 0;
    circuit.ref.has_sym = rows.integer(5) != 0;
    circuit.ref.insecure_dev = rows.integer(6) != 0;
    circuit.ref.variables = static_cast<std::uint32_t>(rows.integer(7));
    circuit.ref.publics = static_cast<std::uint32_t>(rows.integer(8));
    circuit.ref.domain_size = static_cast<std::uint32_t>(rows.integer(9));
    circuit.created = WallMillis(std::chrono::milliseconds(rows.integer(10)));
    circuits.push_back(std::move(circuit));
  }
  return circuits;
}

}  // namespace penstock::queue
