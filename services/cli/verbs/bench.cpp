#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "common/groth16/host_device.hpp"
#include "services/cli/bench/report.hpp"
#include "services/cli/verbs/verbs.hpp"

namespace penstock::cli {
namespace {

struct Options {
  std::string name;
  std::vector<std::string> curves = {"bn254", "bls12_381"};
  std::vector<int> sizes = {10, 12, 14};
  int runs = 5, threads = 0;
  std::string device = "cpu", append;
};

const std::map<std::string, bench::Bench>& benches() {
  static const std::map<std::string, bench::Bench> table = {{"field", bench::bench_field},
                                                            {"ntt", bench::bench_ntt},
                                                            {"msm", bench::bench_msm},
                                                            {"prove", bench::bench_prove},
                                                            {"setup", bench::bench_setup}};
  return table;
}

Status append_line(const std::string& path, const std::string& line) {
  std::FILE* file = std::fopen(path.c_str(), "ae");
  const bool written = file != nullptr && std::fprintf(file, "%s\n", line.c_str()) > 0;
  const bool closed = file != nullptr && std::fclose(file) == 0;
  if (written && closed) return {};
  return Error{.code = ErrorCode::file_unwritable, .what = "the result cannot be appended", .file = path};
}

Status report(const std::vector<bench::Measurement>& measurements, const bench::Place& place,
              const Options& options, Output& output) {
  for (const auto& measurement : measurements) {
    const std::string line = bench::json_line(measurement, place);
    output.line(bench::table_row(measurement));
    output.object(nlohmann::ordered_json::parse(line));
    if (!options.append.empty()) PENSTOCK_TRY(append_line(options.append, line));
    if (!measurement.correct)
      return Error{.code = ErrorCode::internal, .what = measurement.bench + " gave a wrong result"};
  }
  return {};
}

Result<ExitStatus> run(const Options& options, Context& context) {
  if (options.device != "cpu" && options.device != "auto")
    return Error{.code = ErrorCode::device_unavailable,
                 .what = "the command line's benchmarks run on the host device",
                 .hint = "the device's own are in tests/gpu"};
  Output& output = context.output();
  const auto place =
      bench::this_place(groth16::make_host_device({.threads = options.threads})->info().description);
  output.line(bench::table_head());
  for (const auto& label : options.curves) {
    for (const int log2 : options.sizes) {
      output.progress(fmt::format("{} {} 2^{}", options.name, label, log2), -1);
      const bench::Settings settings{*curve_from(label), log2, options.runs, options.threads};
      const auto measurements = PENSTOCK_TRY(benches().at(options.name)(settings));
      PENSTOCK_TRY(report(measurements, place, options, output));
    }
  }
  return ExitStatus::done;
}

}  // namespace

void add_bench(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  auto* verb =
      add_verb(app, "bench", "Measure this machine; every result is checked",
               "  penstock bench msm --curve bn254 --sizes 12,16,20\n"
               "  penstock bench prove --sizes 15 --runs 3 --append results.jsonl\n"
               "A table; with --json one JSON line a measurement. Times are medians of --runs after a\n"
               "warm-up.");
  verb->add_option("name", options->name, "field, ntt, msm, prove or setup")
      ->required()
      ->check(CLI::IsMember({"field", "ntt", "msm", "prove", "setup"}));
  verb->add_option("--curve", options->curves, "bn254, bls12_381; default both")
      ->delimiter(',')
      ->check(CLI::IsMember({"bn254", "bn128", "bls12_381", "bls12381"}));
  verb->add_option("--sizes", options->sizes, "log2 of the sizes")
      ->delimiter(',')
      ->check(CLI::Range(2, 28))
      ->capture_default_str();
  verb->add_option("--runs", options->runs, "Runs a measurement")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  verb->add_option("--threads", options->threads, "0 = all allowed")->check(CLI::Range(0, 4096));
  verb->add_option("--device", options->device, "cpu")->capture_default_str();
  verb->add_option("--append", options->append, "File to which the JSON lines are appended");
  context.on(verb, [options](Context& used) { return run(*options, used); });
}

}  // namespace penstock::cli
