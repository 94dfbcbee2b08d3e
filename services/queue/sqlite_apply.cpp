#include "services/queue/sqlite_apply.hpp"

#include "services/queue/phase_text.hpp"

namespace penstock::queue {

namespace {

std::int64_t millis(WallMillis time) {
  return time.time_since_epoch().count();
}
std::optional<std::int64_t> millis(const std::optional<WallMillis>& time) {
  if (!time) return std::nullopt;
  return millis(*time);
}

// Only what is unfinished changes: a repeated or late change falls through.
constexpr std::string_view partition_of_job =
    " WHERE job = (SELECT sequence FROM jobs WHERE id = ?) AND position = ?"
    " AND state NOT IN ('done', 'failed', 'cancelled')";

std::string update_partition(std::string_view assignments) {
  std::string sql = "UPDATE partitions SET ";
  sql += assignments;
  sql += partition_of_job;
  return sql;
}

}  // namespace

SqliteApply::SqliteApply(SqliteConnection& connection)
    : connection_(connection),
      owner_(connection.prepare("SELECT id, body_hash FROM jobs WHERE key_hash = ?")),
      insert_job_(connection.prepare(
          "INSERT INTO jobs (id, circuit, circuit_id, curve, priority, state, created_ms, "
          "deadline_ms, key_hash, body_hash) VALUES (?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?)")),
      insert_partition_(connection.prepare(
          "INSERT INTO partitions (job, position, input_kind, state) VALUES (?, ?, ?, 'queued')")),
      run_job_(connection.prepare("UPDATE jobs SET state = 'running' WHERE id = ? AND state = 'queued'")),
      lease_(connection.prepare(update_partition("state = 'synthesis', attempts = ?"))),
      requeue_(
          connection.prepare(update_partition("state = 'queued', failures = ?, losses = ?, phases = ?"))),
      end_partition_(connection.prepare(
          update_partition("state = ?, phases = ?, proof = ?, public = ?, device = ?, error_code = ?, "
                           "error_what = ?, error_hint = ?, error_file = ?, error_offset = ?"))),
      measure_(connection.prepare("UPDATE partitions SET phases = ? WHERE job = (SELECT sequence FROM jobs "
                                  "WHERE id = ?) AND position = ?")),
      end_job_(connection.prepare(
          "UPDATE jobs SET state = ?, finished_ms = ? WHERE id = ? AND finished_ms IS NULL")),
      insert_circuit_(
          connection.prepare("INSERT INTO circuits (name, id, curve, has_wasm, has_r1cs, has_sym, "
                             "insecure_dev, variables, publics, "
                             "domain_size, created_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")),
      add_symbols_(connection.prepare("UPDATE circuits SET has_sym = 1 WHERE id = ?")),
      remove_circuit_(connection.prepare("DELETE FROM circuits WHERE name = ?")) {}

Outcome SqliteApply::apply(const Change& change) {
  return std::visit([&](const auto& one) { return apply_one(one); }, change);
}

std::optional<Outcome::Existing> SqliteApply::find_owner(const IdempotencyMark& mark) {
  owner_.bind(mark.key_hash);
  std::optional<Outcome::Existing> existing;
  if (owner_.step())
    existing = Outcome::Existing{.job = JobId(owner_.text(0)), .same_body = owner_.text(1) == mark.body_hash};
  owner_.reset();
  return existing;
}

Outcome SqliteApply::apply_one(const JobAdmitted& change) {
  std::optional<std::string> key_hash, body_hash;
  if (change.idempotency) {
    if (auto existing = find_owner(*change.idempotency)) return {.existing = std::move(existing)};
    key_hash = change.idempotency->key_hash;
    body_hash = change.idempotency->body_hash;
  }
  const JobRecord& job = change.job;
  insert_job_
      .bind(job.id.text(), job.circuit, job.circuit_id.text(), name(job.curve), name(job.priority),
            millis(job.created), millis(job.deadline), key_hash, body_hash)
      .run();
  const std::int64_t sequence = connection_.last_row();
  for (const PartitionRecord& partition : job.partitions) {
    const std::string_view kind = partition.input_kind == wire::InputKind::wtns ? "wtns" : "json";
    insert_partition_.bind(sequence, partition.index, kind).run();
  }
  return {.sequence = static_cast<std::uint64_t>(sequence)};
}

Outcome SqliteApply::apply_one(const PartitionLeased& change) {
  run_job_.bind(change.job.text()).run();
  lease_.bind(change.attempts, change.job.text(), change.index).run();
  return {};
}

Outcome SqliteApply::apply_one(const PartitionRequeued& change) {
  requeue_.bind(change.failures, change.losses, to_text(change.phases), change.job.text(), change.index)
      .run();
  return {};
}

Outcome SqliteApply::apply_one(const PartitionEnded& change) {
  const PartitionEnd& end = change.end;
  const auto filled = [](const std::string& text) {
    return text.empty() ? std::optional<std::string>() : std::optional<std::string>(text);
  };
  std::optional<std::string> code, what, hint, file;
  std::optional<std::int64_t> offset;
  if (end.error) {
    code = std::string(name(end.error->code));
    what = end.error->what;
    hint = filled(end.error->hint);
    file = filled(end.error->file);
    if (end.error->offset) offset = static_cast<std::int64_t>(*end.error->offset);
  }
  end_partition_
      .bind(name(end.state), to_text(change.phases), filled(end.proof_json), filled(end.public_json),
            filled(end.device), code, what, hint, file, offset, change.job.text(), change.index)
      .run();
  return {};
}

Outcome SqliteApply::apply_one(const PartitionMeasured& change) {
  measure_.bind(to_text(change.phases), change.job.text(), change.index).run();
  return {};
}

Outcome SqliteApply::apply_one(const JobEnded& change) {
  end_job_.bind(name(change.state), millis(change.finished), change.job.text()).run();
  return {};
}

Outcome SqliteApply::apply_one(const CircuitAdded& change) {
  const wire::CircuitRef& ref = change.circuit.ref;
  insert_circuit_
      .bind(ref.name, ref.id.text(), name(ref.curve), int{ref.has_wasm}, int{ref.has_r1cs}, int{ref.has_sym},
            int{ref.insecure_dev}, ref.variables, ref.publics, ref.domain_size,
            millis(change.circuit.created))
      .run();
  return {};
}

Outcome SqliteApply::apply_one(const SymbolsAdded& change) {
  add_symbols_.bind(change.circuit.text()).run();
  return {};
}

Outcome SqliteApply::apply_one(const CircuitRemoved& change) {
  remove_circuit_.bind(change.name).run();
  return {};
}

}  // namespace penstock::queue
