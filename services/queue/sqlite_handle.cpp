#include "services/queue/sqlite_handle.hpp"

#include <sqlite3.h>

namespace penstock::queue {

namespace {
constexpr int busy_timeout_ms = 10'000;

[[noreturn]] void fail(sqlite3* connection, int result_code) {
  throw SqliteFailure(result_code, connection ? sqlite3_errmsg(connection) : sqlite3_errstr(result_code));
}
}  // namespace

void SqliteStatement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

SqliteStatement::SqliteStatement(sqlite3* connection, std::string_view sql) : connection_(connection) {
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v3(connection, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                           &statement, nullptr));
  statement_.reset(statement);
}

void SqliteStatement::check(int result_code) const {
  if (result_code != SQLITE_OK) fail(connection_, result_code);
}

bool SqliteStatement::step() {
  const int result_code = sqlite3_step(statement_.get());
  if (result_code == SQLITE_ROW) return true;
  if (result_code == SQLITE_DONE) return false;
  const std::string what = sqlite3_errmsg(connection_);
  sqlite3_reset(statement_.get());
  throw SqliteFailure(result_code, what);
}

void SqliteStatement::run() {
  while (step()) {
  }
  reset();
}

void SqliteStatement::reset() {
  sqlite3_reset(statement_.get());  // repeats the last step's error, which step() has thrown already
  sqlite3_clear_bindings(statement_.get());
}

std::int64_t SqliteStatement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}
std::string SqliteStatement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  if (!bytes) return {};
  return std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column)));
}
bool SqliteStatement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}
std::optional<std::int64_t> SqliteStatement::optional_integer(int column) const {
  if (is_null(column)) return std::nullopt;
  return integer(column);
}

void SqliteStatement::bind_at(int position, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), position, value));
}
void SqliteStatement::bind_at(int position, std::string_view value) {
  check(sqlite3_bind_text64(statement_.get(), position, value.data(), value.size(), SQLITE_TRANSIENT,
                            SQLITE_UTF8));
}
void SqliteStatement::bind_at(int position, const std::optional<std::int64_t>& value) {
  if (value) return bind_at(position, *value);
  check(sqlite3_bind_null(statement_.get(), position));
}
void SqliteStatement::bind_at(int position, const std::optional<std::string>& value) {
  if (value) return bind_at(position, std::string_view(*value));
  check(sqlite3_bind_null(statement_.get(), position));
}

void SqliteConnection::Close::operator()(sqlite3* connection) const {
  sqlite3_close_v2(connection);
}

SqliteConnection::SqliteConnection(const std::string& path, Mode mode) {
  const int access =
      mode == Mode::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* connection = nullptr;
  const int result_code = sqlite3_open_v2(path.c_str(), &connection, access | SQLITE_OPEN_NOMUTEX, nullptr);
  connection_.reset(connection);
  if (result_code != SQLITE_OK) fail(connection, result_code);
  sqlite3_busy_timeout(connection, busy_timeout_ms);
}

SqliteStatement SqliteConnection::prepare(std::string_view sql) const {
  return SqliteStatement(connection_.get(), sql);
}

void SqliteConnection::execute(const std::string& sql) const {
  const int result_code = sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (result_code != SQLITE_OK) fail(connection_.get(), result_code);
}

int SqliteConnection::changes() const {
  return sqlite3_changes(connection_.get());
}
std::int64_t SqliteConnection::last_row() const {
  return sqlite3_last_insert_rowid(connection_.get());
}

SqliteTransaction::~SqliteTransaction() {
  if (!open_) return;
  try {
    connection_.execute("ROLLBACK");
  } catch (const SqliteFailure&) {
    // SQLite rolls back by itself when the connection or the disk is gone.
  }
}

void SqliteTransaction::commit() {
  connection_.execute("COMMIT");
  open_ = false;
}

}  // namespace penstock::queue
