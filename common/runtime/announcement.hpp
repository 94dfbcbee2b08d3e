// RUN/NAME.json: where a running service can be reached, for `penstock up`, `status` and file-based
// discovery. Ownership: the file is removed when the Announcement dies. Threads: one. Errors:
// file_unwritable.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace penstock::runtime {

struct AnnouncementFacts {
  std::string name, kind;  ///< kind: queue, synthesis or gpu
  std::string incarnation, version;
  std::string metrics;  ///< host:port
  std::string http;     ///< host:port; empty: not written
  std::vector<std::string> endpoints;
};

class Announcement {
 public:
  /// Written beside its place and renamed: a reader sees all of it. An empty folder announces nothing.
  [[nodiscard]] static Result<Announcement> publish(const std::filesystem::path& run,
                                                    const AnnouncementFacts& facts);
  Announcement(Announcement&& other) noexcept;
  Announcement& operator=(Announcement&&) = delete;
  ~Announcement();

 private:
  Announcement() = default;
  std::filesystem::path path_;
};

}  // namespace penstock::runtime
