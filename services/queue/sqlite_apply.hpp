// Applies the ledger's changes to the SQLite tables. Internal to the ledger.
// Shape: one prepared statement per kind of row, kept for the life of the connection.
// Threads: one. Errors: SqliteFailure.
#pragma once

#include "services/queue/ledger.hpp"
#include "services/queue/sqlite_handle.hpp"

namespace penstock::queue {

class SqliteApply {
 public:
  explicit SqliteApply(SqliteConnection& connection);
  /// REQUIRES an open transaction.
  [[nodiscard]] Outcome apply(const Change& change);

 private:
  Outcome apply_one(const JobAdmitted& change);
  Outcome apply_one(const PartitionLeased& change);
  Outcome apply_one(const PartitionRequeued& change);
  Outcome apply_one(const PartitionEnded& change);
  Outcome apply_one(const PartitionMeasured& change);
  Outcome apply_one(const JobEnded& change);
  Outcome apply_one(const CircuitAdded& change);
  Outcome apply_one(const SymbolsAdded& change);
  Outcome apply_one(const CircuitRemoved& change);
  std::optional<Outcome::Existing> find_owner(const IdempotencyMark& mark);

  SqliteConnection& connection_;
  SqliteStatement owner_, insert_job_, insert_partition_, run_job_, lease_, requeue_, end_partition_,
      measure_, end_job_, insert_circuit_, add_symbols_, remove_circuit_;
};

}  // namespace penstock::queue
