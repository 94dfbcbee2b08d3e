#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/circuit/file_io.hpp"
#include "services/cli/bench/staging/staging_report.hpp"
#include "services/cli/bench/staging/timeline_svg.hpp"
#include "services/cli/option_checks.hpp"
#include "services/cli/verbs/verbs.hpp"

namespace penstock::cli {
namespace {

using bench::HostMemory;
using groth16::Encoding;
using groth16::PartitionKind;

struct Options {
  std::string curve = "bls12_381", device = "auto";
  std::vector<int> sizes = {14};
  std::vector<std::string> partitions = {"evaluated", "witness"};
  std::vector<std::string> memories = {"pageable", "staged", "pinned"};
  std::vector<std::string> encodings = {"raw", "packed"};
  std::vector<int> lanes = {1, 2}, load_threads = {0};
  double seconds = 5;
  int threads = 0;
  std::string append, out;
  bool oracle = false, nvml = false;
  int repeat = 1;
};

HostMemory memory_from(const std::string& word) {
  return word == "pageable" ? HostMemory::pageable
         : word == "staged" ? HostMemory::staged
                            : HostMemory::pinned;
}

/// Every combination that there is: evaluated partitions have no packed form. The oracle comes last, once for
/// each kind and encoding: it slows launches, and some of that may stay.
std::vector<bench::StagingSettings> runs_of(const Options& options) {
  std::vector<bench::StagingSettings> runs, watched;
  for (const auto& partition : options.partitions)
    for (const auto& encoding : options.encodings) {
      bench::StagingSettings settings;
      settings.partition = partition == "evaluated" ? PartitionKind::evaluated : PartitionKind::witness;
      settings.encoding = encoding == "packed" ? Encoding::packed : Encoding::raw;
      settings.time = Seconds(options.seconds);
      if (settings.partition == PartitionKind::evaluated && settings.encoding == Encoding::packed) continue;
      for (const auto& memory : options.memories)
        for (const int lanes : options.lanes)
          for (const int load : options.load_threads) {
            settings.memory = memory_from(memory);
            settings.lanes = lanes;
            settings.load_threads = load;
            for (int again = 0; again < options.repeat; ++again) {
              settings.watch = false;
              runs.push_back(settings);
              settings.watch = true;
              if (options.nvml) runs.push_back(settings);
            }
          }
      settings.oracle = true;
      settings.watch = false;
      settings.load_threads = options.load_threads.front();
      if (options.oracle) watched.push_back(settings);
    }
  runs.insert(runs.end(), watched.begin(), watched.end());
  return runs;
}

/// "staging-bls12_381-22-evaluated-raw-pinned-2-8"
std::string stem_of(const bench::StagingResult& result, const bench::StagingPlace& where) {
  std::string words = bench::staging_words(result.settings);
  std::string stem = fmt::format("staging-{}-{}-", name(where.curve), where.log2);
  for (const char c : words) {
    const bool kept = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (kept)
      stem += c;
    else if (stem.back() != '-')
      stem += '-';
  }
  return stem;
}

Status write_pictures(const bench::StagingResult& result, const bench::StagingPlace& where,
                      const std::string& device, const std::string& folder) {
  if (folder.empty()) return {};
  const std::filesystem::path stem = std::filesystem::path(folder) / stem_of(result, where);
  const std::string title =
      fmt::format("{} 2^{}: {}", name(where.curve), where.log2, bench::staging_words(result.settings));
  PENSTOCK_TRY(
      circuit::write_text_file(stem.string() + ".svg", bench::timeline_svg(result, {.title = title})));
  return circuit::write_text_file(stem.string() + ".prom", bench::staging_metrics(result, where, device));
}

Result<ExitStatus> run(const Options& options, Context& context) {
  Output& output = context.output();
  auto results = PENSTOCK_TRY(bench::ResultFile::open(options.append));
  const CurveId curve = *curve_from(options.curve);
  bool headed = false;
  for (const int log2 : options.sizes) {
    output.progress(fmt::format("staging 2^{}: circuit and development key", log2), -1);
    const int most_lanes = *std::max_element(options.lanes.begin(), options.lanes.end());
    const auto prepared = PENSTOCK_TRY(
        bench::StagingBench::prepare({curve, log2, options.device, options.threads, most_lanes}));
    const auto& info = prepared->device();
    const bench::StagingPlace where{bench::this_place(info.description), curve, log2};
    if (!std::exchange(headed, true)) output.line(bench::staging_head());
    for (const auto& settings : runs_of(options)) {
      output.progress(fmt::format("2^{} {}", log2, bench::staging_words(settings)), -1);
      const bench::StagingResult result = PENSTOCK_TRY(prepared->run(settings));
      const std::string line = bench::staging_line(result, where);
      output.line(bench::staging_row(result));
      output.object(nlohmann::ordered_json::parse(line));
      PENSTOCK_TRY(results.append(line));
      PENSTOCK_TRY(write_pictures(result, where, info.name, options.out));
    }
  }
  return ExitStatus::done;
}

}  // namespace

Context::Action add_bench_staging(CLI::App& bench) {
  auto options = std::make_shared<Options>();
  auto* verb = add_verb(
      bench, "staging", "A backlog of partitions: memory, encoding and lanes against the device's time",
      "  penstock bench staging --sizes 14 --seconds 3\n"
      "  penstock bench staging --device cuda:0 --sizes 22 --load-threads 8 --out pictures\n"
      "The circuit is 98 % booleans. Every combination of --partition, --encoding, --memory, --lanes and\n"
      "--load-threads is a run; busy and idle come from the idle ledger, every proof is verified.\n"
      "--out writes a picture and the metrics of each run: penstock explain --from FILE.prom");
  verb->add_option("--curve", options->curve, "bn254 or bls12_381")
      ->check(CLI::IsMember({"bn254", "bn128", "bls12_381", "bls12381"}));
  verb->add_option("--sizes", options->sizes, "log2 of the domain")->delimiter(',')->check(CLI::Range(3, 26));
  verb->add_option("--device", options->device, "auto, cpu or cuda:N")->capture_default_str();
  verb->add_option("--partition", options->partitions, "evaluated, witness")
      ->delimiter(',')
      ->check(CLI::IsMember({"evaluated", "witness"}));
  verb->add_option("--memory", options->memories, "pageable, staged, pinned")
      ->delimiter(',')
      ->check(CLI::IsMember({"pageable", "staged", "pinned"}));
  verb->add_option("--encoding", options->encodings, "raw, packed (witness partitions)")
      ->delimiter(',')
      ->check(CLI::IsMember({"raw", "packed"}));
  verb->add_option("--lanes", options->lanes, "Lanes")->delimiter(',')->check(CLI::Range(1, 4));
  verb->add_option("--load-threads", options->load_threads, "Threads that run memcpy beside")
      ->delimiter(',')
      ->check(CLI::Range(0, 256));
  verb->add_option("--seconds", options->seconds, "Length of a run")->check(seconds_between(0.1, 600));
  verb->add_option("--threads", options->threads, "Of the host; 0 = all allowed")->check(CLI::Range(0, 4096));
  verb->add_flag("--oracle", options->oracle, "Then compare busy with CUPTI's records (a GPU)");
  verb->add_flag("--nvml", options->nvml, "Each run once more with the driver's samples beside (a GPU)");
  verb->add_option("--repeat", options->repeat, "Runs of each combination")->check(CLI::Range(1, 100));
  verb->add_option("--append", options->append, "File to which the JSON lines are appended");
  verb->add_option("--out", options->out, "Folder for pictures and metrics")->check(CLI::ExistingDirectory);
  verb->fallthrough();  // --json is bench's
  return [options](Context& used) { return run(*options, used); };
}

}  // namespace penstock::cli
