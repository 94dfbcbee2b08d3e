// The folder of one `penstock up`: its layout, and the lock that keeps a second `up` out of it and goes with
// the first.
// Ownership: the lock is held while the object lives. Threads: one.
// Errors: conflict (another `up` runs on it; names its pid), file_unwritable.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "common/base/result.hpp"
#include "common/wire/owner_lock.hpp"

namespace penstock::cli {

class DataFolder {
 public:
  /// Creates what is missing, everything 0700, and locks it.
  [[nodiscard]] static Result<DataFolder> open(const std::filesystem::path& root);
  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  [[nodiscard]] std::filesystem::path queue() const { return root_ / "queue"; }
  [[nodiscard]] std::filesystem::path circuits() const { return root_ / "circuits"; }
  [[nodiscard]] std::filesystem::path programs() const { return root_ / "cache" / "programs"; }
  [[nodiscard]] std::filesystem::path keys() const { return root_ / "cache" / "keys"; }
  [[nodiscard]] std::filesystem::path run() const { return root_ / "run"; }
  [[nodiscard]] std::filesystem::path log(const std::string& name) const;
  /// An ipc address in run(), or a free tcp port on loopback where the path is too long for a socket.
  [[nodiscard]] std::string local_address(const std::string& name) const;
  /// The shared-memory file of a gpu service, apart from those of other folders.
  [[nodiscard]] std::filesystem::path arena(const std::string& name) const;

 private:
  explicit DataFolder(std::filesystem::path root) : root_(std::move(root)) {}
  [[nodiscard]] Status lock();
  std::filesystem::path root_;
  std::optional<wire::OwnerLock> lock_;
};

}  // namespace penstock::cli
