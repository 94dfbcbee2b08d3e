#include "services/queue/model.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdio>

namespace penstock::queue {

namespace {

template <class Enum, std::size_t count>
std::optional<Enum> find_name(const std::array<std::string_view, count>& names, std::string_view label) {
  const auto found = std::find(names.begin(), names.end(), label);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

std::optional<JobState> job_state_from(std::string_view label) {
  return find_name<JobState>(job_state_names, label);
}
std::optional<PartitionState> partition_state_from(std::string_view label) {
  return find_name<PartitionState>(partition_state_names, label);
}
std::optional<wire::Priority> priority_from(std::string_view label) {
  return find_name<wire::Priority>(priority_names, label);
}

JobState finished_state(const std::vector<PartitionState>& partitions) {
  const auto any = [&](PartitionState state) {
    return std::find(partitions.begin(), partitions.end(), state) != partitions.end();
  };
  if (any(PartitionState::cancelled)) return JobState::cancelled;
  return any(PartitionState::failed) ? JobState::failed : JobState::done;
}

WallMillis to_millis(WallTime time) {
  return std::chrono::floor<std::chrono::milliseconds>(time);
}

std::string to_iso8601(WallMillis time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const std::time_t since_epoch = std::chrono::system_clock::to_time_t(seconds);
  std::tm utc{};
  gmtime_r(&since_epoch, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, (time - seconds).count());
}

std::optional<WallMillis> from_iso8601(std::string_view text) {
  static constexpr std::string_view shape = "dddd-dd-ddTdd:dd:dd";
  if (text.size() < shape.size() + 1 || text.back() != 'Z') return std::nullopt;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] == 'd' ? !is_digit(text[i]) : text[i] != shape[i]) return std::nullopt;
  const auto number = [&](std::size_t first, std::size_t count) {
    int value = 0;
    for (std::size_t i = first; i < first + count; ++i) value = value * 10 + (text[i] - '0');
    return value;
  };
  int millis = 0;
  const std::string_view fraction = text.substr(shape.size(), text.size() - shape.size() - 1);
  if (!fraction.empty()) {
    if (fraction[0] != '.' || fraction.size() < 2 || fraction.size() > 10) return std::nullopt;
    if (!std::all_of(fraction.begin() + 1, fraction.end(), is_digit)) return std::nullopt;
    for (std::size_t i = 1; i <= 3; ++i) millis = millis * 10 + (i < fraction.size() ? fraction[i] - '0' : 0);
  }
  std::tm utc{};
  utc.tm_year = number(0, 4) - 1900;
  utc.tm_mon = number(5, 2) - 1;
  utc.tm_mday = number(8, 2);
  utc.tm_hour = number(11, 2);
  utc.tm_min = number(14, 2);
  utc.tm_sec = number(17, 2);
  const std::tm asked = utc;
  const std::time_t seconds = timegm(&utc);  // normalises: a 30th of February becomes another day
  if (utc.tm_mon != asked.tm_mon || utc.tm_mday != asked.tm_mday || utc.tm_hour != asked.tm_hour ||
      utc.tm_min != asked.tm_min || utc.tm_sec != asked.tm_sec)
    return std::nullopt;
  return WallMillis(std::chrono::seconds(seconds) + std::chrono::milliseconds(millis));
}

}  // namespace penstock::queue
