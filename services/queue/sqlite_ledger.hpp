// The embedded ledger: one SQLite file in WAL mode, synchronous = FULL. See ledger.hpp for the contract.
#pragma once

#include <filesystem>
#include <memory>

#include "services/queue/ledger.hpp"

namespace penstock::queue {

/// Opens or creates the file (0600) and its folder's missing parents (0700), migrates it, takes the lock
/// beside it (FILE.lock). Errors: those of the contract.
[[nodiscard]] Result<std::unique_ptr<Ledger>> open_sqlite_ledger(const std::filesystem::path& path);

/// `location`: a path, or sqlite:PATH with any number of slashes. bad_request for an engine this build lacks.
[[nodiscard]] Result<std::unique_ptr<Ledger>> open_ledger(const std::string& location);

}  // namespace penstock::queue
