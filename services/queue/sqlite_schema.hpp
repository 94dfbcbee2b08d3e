// The SQLite ledger's tables and how older files become newer ones (PRAGMA user_version).
// Adding a version: append one migration to the list in the source; never edit an older one.
#pragma once

#include <cstddef>
#include <span>

#include "common/base/result.hpp"
#include "services/queue/sqlite_handle.hpp"

namespace penstock::queue {

/// SQL that leads from version i to i + 1.
[[nodiscard]] std::span<const char* const> migrations();

/// Brings the file to the newest version, each step in a transaction of its own. Errors: unsupported_version
/// when the file is newer than the program.
[[nodiscard]] Status migrate(SqliteConnection& connection);

}  // namespace penstock::queue
