// The ledgers that the contract suite runs over. A newcomer adds one row to engines() and is tested.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "services/queue/ledger.hpp"

namespace penstock::queue::test {

struct Engine {
  std::string name;
  /// Opens the ledger that lives in this folder (created when absent).
  std::function<Result<std::unique_ptr<Ledger>>(const std::filesystem::path& folder)> open;
};
[[nodiscard]] const std::vector<Engine>& engines();

/// A folder of its own, removed at the end.
class ScratchFolder {
 public:
  ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A queued job of `partitions` partitions, created at `created_ms`.
[[nodiscard]] JobRecord make_job(const std::string& id, std::uint32_t partitions,
                                 std::int64_t created_ms = 1000);

}  // namespace penstock::queue::test
