#include "services/cli/bench/report.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "common/base/clock.hpp"
#include "common/runtime/health.hpp"

namespace penstock::cli::bench {

Times time_runs(int runs, const std::function<void()>& body) {
  std::vector<double> milliseconds;
  for (int run = 0; run <= runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    body();
    const double spent = Seconds(std::chrono::steady_clock::now() - start).count() * 1e3;
    if (run > 0) milliseconds.push_back(spent);
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  return {milliseconds[milliseconds.size() / 2], milliseconds.front()};
}

Place this_place(const std::string& device) {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return {device, fmt::format("{:%Y-%m-%d}", fmt::gmtime(now)), runtime::build_info().commit};
}

std::string json_line(const Measurement& m, const Place& place) {
  nlohmann::ordered_json object{{"date", place.date},
                                {"commit", place.commit},
                                {"device", place.device},
                                {"bench", m.bench},
                                {"curve", name(m.curve)},
                                {"log2", m.log2},
                                {"variant", m.variant},
                                {"ms", m.median_ms},
                                {"min_ms", m.least_ms},
                                {"runs", m.runs},
                                {"check", m.correct ? "ok" : "wrong"}};
  m.phases.for_each([&](Phase phase, telemetry::Duration spent) {
    object["phases_ms"][std::string(name(phase))] = Seconds(spent).count() * 1e3;
  });
  return object.dump();
}

Result<ResultFile> ResultFile::open(const std::string& path) {
  ResultFile results;
  results.path_ = path;
  if (path.empty()) return results;
  results.file_.reset(std::fopen(path.c_str(), "ae"));
  if (results.file_) return results;
  return Error{.code = ErrorCode::file_unwritable, .what = "no result can be appended", .file = path};
}

Status ResultFile::append(const std::string& line) {
  if (!file_) return {};
  if (std::fprintf(file_.get(), "%s\n", line.c_str()) > 0 && std::fflush(file_.get()) == 0) return {};
  return Error{.code = ErrorCode::file_unwritable, .what = "the result cannot be appended", .file = path_};
}

std::string table_head() {
  return fmt::format("{:<8} {:<10} {:>5} {:>14} {:>14} {:>5}  {:<28} {}", "bench", "curve", "log2",
                     "median ms", "least ms", "runs", "variant", "check");
}

std::string table_row(const Measurement& m) {
  return fmt::format("{:<8} {:<10} {:>5} {:>14.4f} {:>14.4f} {:>5}  {:<28} {}", m.bench, name(m.curve),
                     m.log2, m.median_ms, m.least_ms, m.runs, m.variant, m.correct ? "ok" : "WRONG");
}

}  // namespace penstock::cli::bench
