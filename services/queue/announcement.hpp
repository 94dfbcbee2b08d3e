// RUN/NAME.json: where the running queue can be reached, for `penstock up` and `status`.
// Ownership: the file is removed when the Announcement dies. Errors: file_unwritable.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace penstock::queue {

struct AnnouncementFacts {
  std::string name, incarnation, version, http;
  std::vector<std::string> endpoints;
};

class Announcement {
 public:
  /// Written atomically; an empty folder announces nothing.
  [[nodiscard]] static Result<Announcement> publish(const std::filesystem::path& run,
                                                    const AnnouncementFacts& facts);
  Announcement(Announcement&& other) noexcept;
  Announcement& operator=(Announcement&&) = delete;
  ~Announcement();

 private:
  Announcement() = default;
  std::filesystem::path path_;
};

}  // namespace penstock::queue
