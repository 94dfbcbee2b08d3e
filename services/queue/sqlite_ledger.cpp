#include "services/queue/sqlite_ledger.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mutex>

#include "services/queue/sqlite_apply.hpp"
#include "services/queue/sqlite_rows.hpp"
#include "services/queue/sqlite_schema.hpp"

namespace penstock::queue {

namespace {

/// Held for the life of the ledger; the kernel drops it with the process.
class LockFile {
 public:
  static Result<LockFile> take(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0)
      return Error{
          .code = ErrorCode::file_unwritable, .what = "the ledger's lock cannot be created", .file = path};
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      ::close(descriptor);
      return Error{.code = ErrorCode::conflict,
                   .what = "another penstock-queue holds this ledger",
                   .hint = "stop it, or give this one another --ledger",
                   .file = path};
    }
    return LockFile(descriptor);
  }
  LockFile(LockFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  LockFile& operator=(LockFile&&) = delete;
  ~LockFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

 private:
  explicit LockFile(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

Error named(const SqliteFailure& failure, const std::string& path) {
  Error error{.code = ErrorCode::file_unwritable,
              .what = std::string("the ledger answers: ") + failure.what(),
              .hint = "check the disk's free space and the folder's permissions",
              .file = path};
  const int primary = failure.result_code() & 0xff;
  if (primary == SQLITE_NOTADB || primary == SQLITE_CORRUPT) {
    error.code = ErrorCode::bad_format;
    error.hint = "restore it from a copy, or name another --ledger";
  }
  if (primary == SQLITE_CONSTRAINT) {
    error.code = ErrorCode::conflict;
    error.hint.clear();
  }
  return error;
}

class SqliteLedger final : public Ledger {
 public:
  SqliteLedger(std::string path, LockFile lock)
      : path_(std::move(path)), lock_(std::move(lock)), writer_(path_, SqliteConnection::Mode::read_write) {}

  Status prepare() {
    return guarded([&]() -> Status {
      writer_.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;");
      PENSTOCK_TRY(migrate(writer_));
      apply_.emplace(writer_);
      reader_.emplace(path_, SqliteConnection::Mode::read_only);
      return {};
    });
  }

  Result<std::uint64_t> start_epoch() override {
    return guarded([&]() -> Result<std::uint64_t> {
      SqliteTransaction transaction(writer_);
      writer_.execute("UPDATE meta SET value = value + 1 WHERE name = 'epoch'");
      auto query = writer_.prepare("SELECT value FROM meta WHERE name = 'epoch'");
      query.step();
      const auto epoch = static_cast<std::uint64_t>(query.integer(0));
      query.reset();
      transaction.commit();
      return epoch;
    });
  }

  Result<std::vector<Outcome>> commit(std::span<const Change> changes) override {
    return guarded([&]() -> Result<std::vector<Outcome>> {
      std::vector<Outcome> outcomes;
      outcomes.reserve(changes.size());
      SqliteTransaction transaction(writer_);
      for (const Change& change : changes) outcomes.push_back(apply_->apply(change));
      transaction.commit();
      return outcomes;
    });
  }

  Result<std::uint64_t> purge(WallMillis before, std::uint32_t limit) override {
    return guarded([&]() -> Result<std::uint64_t> {
      SqliteTransaction transaction(writer_);
      auto remove = writer_.prepare(
          "DELETE FROM jobs WHERE sequence IN (SELECT sequence FROM jobs WHERE finished_ms < ? LIMIT ?)");
      remove.bind(before.time_since_epoch().count(), limit).run();
      const auto removed = static_cast<std::uint64_t>(writer_.changes());
      transaction.commit();
      return removed;
    });
  }

  Result<std::vector<JobRecord>> unfinished() const override {
    return reading([&]() -> Result<std::vector<JobRecord>> {
      auto rows = select_jobs("WHERE state IN ('queued', 'running') ORDER BY sequence");
      std::vector<JobRecord> jobs;
      while (rows.step()) jobs.push_back(job_from_row(rows));
      for (JobRecord& job : jobs) read_partitions(*reader_, job);
      return jobs;
    });
  }

  Result<std::optional<Outcome::Existing>> find(const IdempotencyMark& mark) const override {
    return reading([&]() -> Result<std::optional<Outcome::Existing>> {
      auto rows = reader_->prepare("SELECT id, body_hash FROM jobs WHERE key_hash = ?");
      rows.bind(mark.key_hash);
      if (!rows.step()) return std::optional<Outcome::Existing>();
      return std::optional(
          Outcome::Existing{.job = JobId(rows.text(0)), .same_body = rows.text(1) == mark.body_hash});
    });
  }

  Result<std::optional<JobRecord>> find(const JobId& id) const override {
    return reading([&]() -> Result<std::optional<JobRecord>> {
      auto rows = select_jobs("WHERE id = ?");
      rows.bind(id.text());
      if (!rows.step()) return std::optional<JobRecord>();
      JobRecord job = job_from_row(rows);
      read_partitions(*reader_, job);
      return std::optional<JobRecord>(std::move(job));
    });
  }

  Result<std::vector<JobSummary>> list(const JobFilter& filter) const override {
    return reading([&]() -> Result<std::vector<JobSummary>> {
      auto rows = select_jobs(filter.state ? "WHERE state = ? ORDER BY sequence DESC LIMIT ?"
                                           : "ORDER BY sequence DESC LIMIT ?");
      if (filter.state)
        rows.bind(name(*filter.state), filter.limit);
      else
        rows.bind(filter.limit);
      std::vector<JobSummary> summaries;
      while (rows.step()) summaries.push_back({.job = job_from_row(rows)});
      auto counts = reader_->prepare(
          "SELECT count(*), sum(state = 'done'), sum(state = 'failed'), sum(state = 'cancelled') "
          "FROM partitions WHERE job = ?");
      for (JobSummary& summary : summaries) {
        counts.bind(static_cast<std::int64_t>(summary.job.sequence)).step();
        summary.partitions = static_cast<std::uint32_t>(counts.integer(0));
        summary.done = static_cast<std::uint32_t>(counts.integer(1));
        summary.failed = static_cast<std::uint32_t>(counts.integer(2));
        summary.cancelled = static_cast<std::uint32_t>(counts.integer(3));
      }
      return summaries;
    });
  }

  Result<std::vector<CircuitRecord>> circuits() const override {
    return reading([&]() -> Result<std::vector<CircuitRecord>> { return read_circuits(*reader_); });
  }

 private:
  SqliteStatement select_jobs(std::string_view rest) const {
    std::string sql = "SELECT ";
    sql += job_columns;
    sql += " FROM jobs ";
    sql += rest;
    return reader_->prepare(sql);
  }

  /// The border at which SQLite's failures become named errors.
  template <class Work>
  std::invoke_result_t<Work> guarded(Work work) const {
    try {
      return work();
    } catch (const SqliteFailure& failure) {
      return named(failure, path_);
    } catch (const BadRow& damage) {
      return Error{.code = ErrorCode::bad_format, .what = damage.what(), .file = path_};
    }
  }
  template <class Work>
  std::invoke_result_t<Work> reading(Work work) const {
    const std::lock_guard hold(reader_mutex_);
    return guarded(work);
  }

  std::string path_;
  LockFile lock_;
  SqliteConnection writer_;
  std::optional<SqliteApply> apply_;
  mutable std::mutex reader_mutex_;
  std::optional<SqliteConnection> reader_;
};

/// SQLite creates its files with the umask's mode; the first creation is ours, private.
Status create_private(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0)
    return Error{.code = ErrorCode::file_unwritable,
                 .what = "the ledger cannot be opened or created",
                 .hint = "check the folder's permissions",
                 .file = path};
  ::close(descriptor);
  return {};
}

}  // namespace

Result<std::unique_ptr<Ledger>> open_sqlite_ledger(const std::filesystem::path& path) {
  std::error_code failure;
  if (path.has_parent_path() && std::filesystem::create_directories(path.parent_path(), failure))
    std::filesystem::permissions(path.parent_path(), std::filesystem::perms::owner_all, failure);
  PENSTOCK_TRY(create_private(path.string()));
  auto lock = PENSTOCK_TRY(LockFile::take(path.string() + ".lock"));
  try {
    auto ledger = std::make_unique<SqliteLedger>(path.string(), std::move(lock));
    PENSTOCK_TRY(ledger->prepare());
    return std::unique_ptr<Ledger>(std::move(ledger));
  } catch (const SqliteFailure& refused) {
    return named(refused, path.string());
  }
}

Result<std::unique_ptr<Ledger>> open_ledger(const std::string& location) {
  const auto colon = location.find(':');
  const std::string scheme = colon == std::string::npos ? "" : location.substr(0, colon);
  if (scheme.empty() || scheme.find('/') != std::string::npos) return open_sqlite_ledger(location);
  if (scheme != "sqlite")
    return Error{.code = ErrorCode::bad_request,
                 .what = "no ledger engine is called " + scheme,
                 .hint = "this build has sqlite: --ledger sqlite:PATH"};
  std::string path = location.substr(colon + 1);
  if (path.rfind("//", 0) == 0) path.erase(0, 2);
  return open_sqlite_ledger(path);
}

}  // namespace penstock::queue
