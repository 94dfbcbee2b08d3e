#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "services/cli/bench/report.hpp"
#include "services/cli/bench/staging/remote_rates.hpp"
#include "services/cli/verbs/verbs.hpp"

namespace penstock::cli {
namespace {

struct Options {
  std::vector<std::string> security = {"plain", "curve"};
  std::vector<int> connections = {1, 2};
  int megabytes = 512, io_threads = 2;
  std::string append;
};

Result<ExitStatus> run(const Options& options, Context& context) {
  Output& output = context.output();
  auto results = PENSTOCK_TRY(bench::ResultFile::open(options.append));
  const auto place = bench::this_place("loopback");
  output.line(fmt::format("{:<8} {:>11} {:>10} {:>9}", "security", "connections", "MiB", "GB/s"));
  for (const auto& security : options.security)
    for (const int connections : options.connections) {
      bench::RemoteSettings settings;
      settings.connections = connections;
      settings.curve = security == "curve";
      settings.io_threads = options.io_threads;
      settings.bytes = static_cast<std::uint64_t>(options.megabytes / connections * connections) << 20;
      const auto rate = PENSTOCK_TRY(bench::measure_remote(settings));
      output.line(fmt::format("{:<8} {:>11} {:>10} {:>9.2f}", security, connections, settings.bytes >> 20,
                              rate.gb_per_second));
      const nlohmann::ordered_json object{{"date", place.date},
                                          {"commit", place.commit},
                                          {"device", place.device},
                                          {"bench", "remote"},
                                          {"security", security},
                                          {"connections", connections},
                                          {"chunk_bytes", settings.chunk_bytes},
                                          {"io_threads", settings.io_threads},
                                          {"bytes", settings.bytes},
                                          {"gbps", rate.gb_per_second},
                                          {"check", "ok"}};
      output.object(object);
      PENSTOCK_TRY(results.append(object.dump()));
    }
  return ExitStatus::done;
}

}  // namespace

Context::Action add_bench_remote(CLI::App& bench) {
  auto options = std::make_shared<Options>();
  auto* verb = add_verb(bench, "remote", "Chunks of partitions over loopback TCP, plain and under CURVE",
                        "  penstock bench remote --connections 1,2,4\n"
                        "Checksummed on both sides, one copy into the receiver's memory.");
  verb->add_option("--security", options->security, "plain, curve")
      ->delimiter(',')
      ->check(CLI::IsMember({"plain", "curve"}));
  verb->add_option("--connections", options->connections, "At once")
      ->delimiter(',')
      ->check(CLI::Range(1, 16));
  verb->add_option("--megabytes", options->megabytes, "Sent in all")->check(CLI::Range(16, 1 << 20));
  verb->add_option("--io-threads", options->io_threads, "Of the receiver")->check(CLI::Range(1, 16));
  verb->add_option("--append", options->append, "File to which the JSON lines are appended");
  verb->fallthrough();
  return [options](Context& used) { return run(*options, used); };
}

}  // namespace penstock::cli
