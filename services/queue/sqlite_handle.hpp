// A connection and a prepared statement of SQLite, as owners. Internal to the SQLite ledger.
// Ownership: move-only; statements die before their connection. Threads: one at a time.
// Errors: SqliteFailure is thrown by every call (a failing disk is caught once, at the ledger's border, and
//   becomes a named Error there).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace penstock::queue {

class SqliteFailure : public std::runtime_error {
 public:
  SqliteFailure(int result_code, const std::string& what)
      : std::runtime_error(what), result_code_(result_code) {}
  [[nodiscard]] int result_code() const { return result_code_; }

 private:
  int result_code_;
};

class SqliteStatement {
 public:
  SqliteStatement(sqlite3* connection, std::string_view sql);

  /// Binds from parameter 1 on, in order. `bind(...)` begins a fresh execution.
  template <class... Values>
  SqliteStatement& bind(const Values&... values) {
    reset();
    int position = 0;
    (bind_at(++position, values), ...);
    return *this;
  }
  /// True while there is a row.
  bool step();
  /// For statements that yield no row.
  void run();
  void reset();

  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::optional<std::int64_t> optional_integer(int column) const;

 private:
  void bind_at(int position, std::int64_t value);
  void bind_at(int position, std::uint32_t value) { bind_at(position, static_cast<std::int64_t>(value)); }
  void bind_at(int position, int value) { bind_at(position, static_cast<std::int64_t>(value)); }
  void bind_at(int position, std::string_view value);
  void bind_at(int position, const std::string& value) { bind_at(position, std::string_view(value)); }
  void bind_at(int position, const std::optional<std::int64_t>& value);
  void bind_at(int position, const std::optional<std::string>& value);
  void check(int result_code) const;

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  sqlite3* connection_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class SqliteConnection {
 public:
  enum class Mode : std::uint8_t { read_write, read_only };
  SqliteConnection(const std::string& path, Mode mode);
  [[nodiscard]] SqliteStatement prepare(std::string_view sql) const;
  void execute(const std::string& sql) const;
  [[nodiscard]] int changes() const;
  [[nodiscard]] std::int64_t last_row() const;

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  std::unique_ptr<sqlite3, Close> connection_;
};

/// Rolls back unless committed.
class SqliteTransaction {
 public:
  explicit SqliteTransaction(SqliteConnection& connection) : connection_(connection) {
    connection_.execute("BEGIN IMMEDIATE");
  }
  SqliteTransaction(const SqliteTransaction&) = delete;
  SqliteTransaction& operator=(const SqliteTransaction&) = delete;
  ~SqliteTransaction();
  void commit();

 private:
  SqliteConnection& connection_;
  bool open_ = true;
};

}  // namespace penstock::queue
