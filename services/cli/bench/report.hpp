// One benchmark's result: a row for people, a JSON line for machines (keys: date, commit, device, bench,
// curve, log2, variant, ms, min_ms, runs, check;
// of a proof also phases_ms).
#pragma once

#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/curve_id.hpp"
#include "common/base/result.hpp"
#include "common/telemetry/phase_times.hpp"

namespace penstock::cli::bench {

struct Settings {
  CurveId curve = CurveId::bn254;
  int log2 = 16;
  int runs = 5;
  int threads = 0;
  std::string device = "cpu";  ///< cpu | cuda:N
  std::string mix = "both";    ///< of proofs: full-width | bits | both
  int host_tables_mib = 0;     ///< of proofs on the host: memory for fixed-base tables
};

struct Measurement {
  std::string bench;  ///< field | ntt | msm_g1 | msm_g2 | prove | setup | verify
  CurveId curve = CurveId::bn254;
  int log2 = 0;
  std::string variant;
  double median_ms = 0, least_ms = 0;
  int runs = 0;
  bool correct = false;
  telemetry::PhaseTimes phases = {};  ///< of the last run, for proofs
};

/// Times `body` `runs` times after one warm-up; milliseconds.
struct Times {
  double median_ms = 0, least_ms = 0;
};
[[nodiscard]] Times time_runs(int runs, const std::function<void()>& body);

struct Place {
  std::string device, date, commit;
};
[[nodiscard]] Place this_place(const std::string& device);
[[nodiscard]] std::string json_line(const Measurement& measurement, const Place& place);
/// A file that results are appended to, opened before anything is measured. Errors: file_unwritable.
class ResultFile {
 public:
  /// An empty path: lines go nowhere.
  [[nodiscard]] static Result<ResultFile> open(const std::string& path);
  [[nodiscard]] Status append(const std::string& line);

 private:
  struct Close {
    void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};
[[nodiscard]] std::string table_row(const Measurement& measurement);
[[nodiscard]] std::string table_head();

using Bench = Result<std::vector<Measurement>> (*)(const Settings&);
[[nodiscard]] Result<std::vector<Measurement>> bench_field(const Settings& settings);
[[nodiscard]] Result<std::vector<Measurement>> bench_ntt(const Settings& settings);
[[nodiscard]] Result<std::vector<Measurement>> bench_msm(const Settings& settings);
[[nodiscard]] Result<std::vector<Measurement>> bench_msm_g1(const Settings& settings);
[[nodiscard]] Result<std::vector<Measurement>> bench_msm_g2(const Settings& settings);
[[nodiscard]] Result<std::vector<Measurement>> bench_prove(const Settings& settings);
[[nodiscard]] Result<std::vector<Measurement>> bench_setup(const Settings& settings);
[[nodiscard]] Result<std::vector<Measurement>> bench_verify(const Settings& settings);

/// The algorithms on a CUDA device; bench_prove and bench_setup open whatever device the settings name.
namespace on_device {
[[nodiscard]] Result<std::vector<Measurement>> bench_field(const Settings& settings);
[[nodiscard]] Result<std::vector<Measurement>> bench_ntt(const Settings& settings);
[[nodiscard]] Result<std::vector<Measurement>> bench_msm(const Settings& settings);
[[nodiscard]] Result<std::vector<Measurement>> bench_msm_g1(const Settings& settings);
[[nodiscard]] Result<std::vector<Measurement>> bench_msm_g2(const Settings& settings);
}  // namespace on_device

}  // namespace penstock::cli::bench
