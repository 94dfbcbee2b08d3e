// Rows of the SQLite ledger <-> records. Internal to the ledger. Errors: SqliteFailure; a row whose names no
// longer parse (a damaged file) throws BadRow.
#pragma once

#include <stdexcept>
#include <vector>

#include "services/queue/ledger.hpp"
#include "services/queue/sqlite_handle.hpp"

namespace penstock::queue {

class BadRow : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The columns that job_from_row() expects, in order.
inline constexpr std::string_view job_columns =
    "sequence, id, circuit, circuit_id, curve, priority, state, created_ms, deadline_ms, finished_ms";
[[nodiscard]] JobRecord job_from_row(const SqliteStatement& row);

/// Fills job.partitions from the table.
void read_partitions(const SqliteConnection& connection, JobRecord& job);

[[nodiscard]] std::vector<CircuitRecord> read_circuits(const SqliteConnection& connection);

}  // namespace penstock::queue
