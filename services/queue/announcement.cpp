#include "services/queue/announcement.hpp"

#include <unistd.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "common/circuit/file_io.hpp"

namespace penstock::queue {

Result<Announcement> Announcement::publish(const std::filesystem::path& run, const AnnouncementFacts& facts) {
  Announcement announcement;
  if (run.empty()) return announcement;
  const nlohmann::ordered_json object{{"name", facts.name},       {"kind", "queue"},
                                      {"pid", getpid()},          {"incarnation", facts.incarnation},
                                      {"version", facts.version}, {"metrics", facts.http},
                                      {"http", facts.http},       {"endpoints", facts.endpoints}};
  const auto path = run / (facts.name + ".json");
  PENSTOCK_TRY(circuit::write_text_file(path, object.dump(2) + "\n"));
  announcement.path_ = path;
  return announcement;
}

Announcement::Announcement(Announcement&& other) noexcept : path_(std::exchange(other.path_, {})) {}

Announcement::~Announcement() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove(path_, ignored);
}

}  // namespace penstock::queue
