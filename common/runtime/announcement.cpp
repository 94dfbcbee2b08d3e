#include "common/runtime/announcement.hpp"

#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

namespace penstock::runtime {
namespace {

Error unwritable(const std::filesystem::path& path, const std::string& why) {
  return {.code = ErrorCode::file_unwritable,
          .what = "cannot announce the service: " + why,
          .hint = "check the run folder",
          .file = path.string()};
}

}  // namespace

Result<Announcement> Announcement::publish(const std::filesystem::path& run, const AnnouncementFacts& facts) {
  Announcement announcement;
  if (run.empty()) return announcement;
  nlohmann::ordered_json object{{"name", facts.name},       {"kind", facts.kind},
                                {"pid", ::getpid()},        {"incarnation", facts.incarnation},
                                {"version", facts.version}, {"metrics", facts.metrics}};
  if (!facts.http.empty()) object["http"] = facts.http;
  object["endpoints"] = facts.endpoints;
  const auto path = run / (facts.name + ".json");
  const auto temporary = run / ("." + facts.name + ".json.new");
  std::ofstream file(temporary);
  file << object.dump(2) << '\n';
  file.close();
  if (!file) return unwritable(temporary, "the file cannot be written");
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (error) return unwritable(path, error.message());
  announcement.path_ = path;
  return announcement;
}

Announcement::Announcement(Announcement&& other) noexcept : path_(std::exchange(other.path_, {})) {}

Announcement::~Announcement() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove(path_, ignored);
}

}  // namespace penstock::runtime
