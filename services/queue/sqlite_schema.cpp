#include "services/queue/sqlite_schema.hpp"

#include <fmt/format.h>

#include <array>

namespace penstock::queue {

namespace {

// States are stored by name: an operator reads the file with the sqlite3 shell.
constexpr const char* version_1 = R"sql(
CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES ('epoch', 0);
CREATE TABLE circuits (
  name TEXT PRIMARY KEY,
  id TEXT NOT NULL,
  curve TEXT NOT NULL,
  has_wasm INTEGER NOT NULL, has_r1cs INTEGER NOT NULL, has_sym INTEGER NOT NULL,
  insecure_dev INTEGER NOT NULL,
  variables INTEGER NOT NULL, publics INTEGER NOT NULL, domain_size INTEGER NOT NULL,
  created_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE jobs (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  circuit TEXT NOT NULL, circuit_id TEXT NOT NULL, curve TEXT NOT NULL,
  priority TEXT NOT NULL,
  state TEXT NOT NULL,
  created_ms INTEGER NOT NULL, deadline_ms INTEGER, finished_ms INTEGER,
  key_hash TEXT UNIQUE, body_hash TEXT
);
CREATE INDEX jobs_by_state ON jobs (state, sequence);
CREATE INDEX jobs_by_finish ON jobs (finished_ms) WHERE finished_ms IS NOT NULL;
CREATE TABLE partitions (
  job INTEGER NOT NULL REFERENCES jobs (sequence) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  input_kind TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  failures INTEGER NOT NULL DEFAULT 0,
  losses INTEGER NOT NULL DEFAULT 0,
  phases TEXT NOT NULL DEFAULT '',
  proof TEXT, public TEXT, device TEXT,
  error_code TEXT, error_what TEXT, error_hint TEXT, error_file TEXT, error_offset INTEGER,
  PRIMARY KEY (job, position)
) WITHOUT ROWID;
)sql";

constexpr std::array<const char*, 1> all_migrations = {version_1};

int user_version(SqliteConnection& connection) {
  auto query = connection.prepare("PRAGMA user_version");
  query.step();
  return static_cast<int>(query.integer(0));
}

}  // namespace

std::span<const char* const> migrations() {
  return all_migrations;
}

Status migrate(SqliteConnection& connection) {
  int version = user_version(connection);
  const int newest = static_cast<int>(all_migrations.size());
  if (version > newest)
    return Error{
        .code = ErrorCode::unsupported_version,
        .what = fmt::format("the ledger has version {}, this program knows up to {}", version, newest),
        .hint = "start the newer penstock-queue that wrote it"};
  for (; version < newest; ++version) {
    SqliteTransaction transaction(connection);
    connection.execute(all_migrations[static_cast<std::size_t>(version)]);
    connection.execute(fmt::format("PRAGMA user_version = {}", version + 1));
    transaction.commit();
  }
  return {};
}

}  // namespace penstock::queue
