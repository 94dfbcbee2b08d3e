#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "common/groth16/host_device.hpp"
#include "cuda/groth16/cuda_device.hpp"
#include "services/cli/bench/report.hpp"
#include "services/cli/verbs/verbs.hpp"
#include "services/gpu/device_choice.hpp"

namespace penstock::cli {
namespace {

struct Options {
  std::string name;
  std::vector<std::string> curves = {"bn254", "bls12_381"};
  std::vector<int> sizes = {10, 12, 14};
  int runs = 5, threads = 0, host_tables_mib = 0;
  std::string device = "cpu", mix = "both", append;
};

/// A benchmark by its name: on the host, on a CUDA device.
struct Places {
  bench::Bench host, device;
};
const std::map<std::string, Places>& benches() {
  static const std::map<std::string, Places> table = {
      {"field", {bench::bench_field, bench::on_device::bench_field}},
      {"ntt", {bench::bench_ntt, bench::on_device::bench_ntt}},
      {"msm", {bench::bench_msm, bench::on_device::bench_msm}},
      {"msm_g1", {bench::bench_msm_g1, bench::on_device::bench_msm_g1}},
      {"msm_g2", {bench::bench_msm_g2, bench::on_device::bench_msm_g2}},
      {"prove", {bench::bench_prove, bench::bench_prove}},
      {"setup", {bench::bench_setup, bench::bench_setup}},
      {"verify", {bench::bench_verify, bench::bench_verify}}};
  return table;
}
std::vector<std::string> bench_names() {
  std::vector<std::string> names;
  for (const auto& entry : benches()) names.push_back(entry.first);
  return names;
}

/// What the results call the device: the host's processor, or the card's model.
Result<std::string> model_of(const std::string& device, int threads) {
  if (device == "cpu") return groth16::make_host_device({.threads = threads})->info().description;
  const int ordinal = PENSTOCK_TRY(gpu::cuda_ordinal(device));
  for (const auto& card : PENSTOCK_TRY(cuda::visible_devices()))
    if (card.ordinal == ordinal) return card.name;
  return Error{.code = ErrorCode::device_unavailable, .what = "there is no device " + device};
}

Status report(const std::vector<bench::Measurement>& measurements, const bench::Place& place,
              bench::ResultFile& results, Output& output) {
  for (const auto& measurement : measurements) {
    const std::string line = bench::json_line(measurement, place);
    output.line(bench::table_row(measurement));
    output.object(nlohmann::ordered_json::parse(line));
    PENSTOCK_TRY(results.append(line));
    if (!measurement.correct)
      return Error{.code = ErrorCode::internal, .what = measurement.bench + " gave a wrong result"};
  }
  return {};
}

Result<ExitStatus> run(const Options& options, Context& context) {
  Output& output = context.output();
  auto results = PENSTOCK_TRY(bench::ResultFile::open(options.append));
  const bool is_of_host = options.name == "verify";  // wherever a proof was made
  if (is_of_host && options.device != "cpu" && options.device != "auto")
    return Error{.code = ErrorCode::bad_request,
                 .what = "verification runs on the host",
                 .hint = "leave --device out"};
  const std::string automatic = is_of_host ? "cpu" : gpu::list_devices().front();
  const std::string device = options.device == "auto" ? automatic : options.device;
  const auto place = bench::this_place(PENSTOCK_TRY(model_of(device, options.threads)));
  const Places& places = benches().at(options.name);
  output.line(bench::table_head());
  for (const auto& label : options.curves) {
    for (const int log2 : options.sizes) {
      output.progress(fmt::format("{} {} 2^{}", options.name, label, log2), -1);
      const bench::Settings settings{.curve = *curve_from(label),
                                     .log2 = log2,
                                     .runs = options.runs,
                                     .threads = options.threads,
                                     .device = device,
                                     .mix = options.mix,
                                     .host_tables_mib = options.host_tables_mib};
      const auto measurements = PENSTOCK_TRY((device == "cpu" ? places.host : places.device)(settings));
      PENSTOCK_TRY(report(measurements, place, results, output));
    }
  }
  return ExitStatus::done;
}

}  // namespace

void add_bench(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  auto* verb = add_verb(
      app, "bench", "Measure this machine; every result is checked",
      "  penstock bench msm --curve bn254 --sizes 12,16,20\n"
      "  penstock bench prove --sizes 15 --runs 3 --append results.jsonl\n"
      "  penstock bench staging --help                    # the device's time: memory, encoding, lanes\n"
      "A table; with --json one JSON line a measurement. Times are medians of --runs after a\n"
      "warm-up.");
  // A verb of its own below this one; its action is chosen in ours, for the parser calls both.
  const Context::Action staging = add_bench_staging(*verb), remote = add_bench_remote(*verb);
  verb->add_option("name", options->name, "field, ntt, msm (msm_g1, msm_g2), prove, setup or verify")
      ->check(CLI::IsMember(bench_names()));
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
  verb->add_option("--device", options->device, "auto, cpu or cuda:N")->capture_default_str();
  verb->add_option("--mix", options->mix, "Of proofs: full-width, bits (98 % of the wires) or both")
      ->check(CLI::IsMember({"full-width", "bits", "both"}))
      ->capture_default_str();
  verb->add_option("--host-tables", options->host_tables_mib,
                   "Of proofs on the host: MiB for fixed-base tables")
      ->check(CLI::Range(0, 1 << 20));
  verb->add_option("--append", options->append, "File to which the JSON lines are appended");
  context.on(verb, [options, verb, staging, remote](Context& used) -> Result<ExitStatus> {
    if (verb->got_subcommand("staging")) return staging(used);
    if (verb->got_subcommand("remote")) return remote(used);
    if (!options->name.empty()) return run(*options, used);
    return Error{
        .code = ErrorCode::bad_request, .what = "which benchmark?", .hint = "see penstock bench --help"};
  });
}

}  // namespace penstock::cli
