#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "common/circuit/file_io.hpp"
#include "services/cli/cluster.hpp"
#include "services/cli/explain/verdict.hpp"
#include "services/cli/option_checks.hpp"
#include "services/cli/verbs/verbs.hpp"

namespace penstock::cli {
namespace {

using explain::MetricText;

constexpr std::uint64_t largest_scrape = std::uint64_t{16} << 20;

struct Options {
  std::vector<std::string> metrics;  ///< host:port of gpu services; empty: ask the queue
  std::vector<std::string> from;     ///< one or two saved scrapes
  double seconds = 5;
};

Result<MetricText> scrape(const std::string& url, const std::string& api_key) {
  constexpr std::chrono::seconds patience{5};
  QueueClient client(url, api_key, patience);
  const auto answer = PENSTOCK_TRY(client.get_text("/metrics"));
  if (answer.first != 200)
    return Error{.code = ErrorCode::not_found,
                 .what = url + "/metrics answered " + std::to_string(answer.first)};
  return MetricText::parse(answer.second);
}

Result<MetricText> read_saved(const std::string& path) {
  const auto text = PENSTOCK_TRY(circuit::read_text_file(path, largest_scrape));
  auto parsed = MetricText::parse(text);
  if (!parsed) return std::move(parsed).error().in(path);
  return parsed;
}

Result<std::vector<std::string>> services_of_the_queue(Context& context) {
  const auto answer = connect(context)->get("/v1/status");
  if (!answer) return as_refusal(answer.error());
  std::vector<std::string> addresses;
  for (const auto& worker : answer->body.value("workers", nlohmann::json::array()))
    if (worker.value("kind", "") == "gpu") addresses.push_back(worker.value("metrics", ""));
  if (addresses.empty())
    return Error{.code = ErrorCode::not_found,
                 .what = "the queue knows of no gpu service",
                 .hint = "see penstock status, or name one with --metrics HOST:PORT"};
  return addresses;
}

void tell(const std::vector<explain::DeviceWindow>& windows, nlohmann::ordered_json& devices,
          Output& output) {
  for (const auto& window : windows) {
    const explain::Verdict verdict = explain::judge(window);
    output.line(verdict.shares);
    output.line("  " + verdict.cause);
    output.line("  " + verdict.advice);
    devices.push_back(explain::to_json(window, verdict));
  }
}

Result<ExitStatus> explain_saved(const Options& options, Context& context) {
  std::optional<MetricText> before;
  if (options.from.size() == 2) before = PENSTOCK_TRY(read_saved(options.from.front()));
  const MetricText after = PENSTOCK_TRY(read_saved(options.from.back()));
  nlohmann::ordered_json object{{"ok", true}, {"devices", nlohmann::json::array()}};
  tell(PENSTOCK_TRY(explain::windows_between(before, after, after)), object["devices"], context.output());
  context.output().object(object);
  return ExitStatus::done;
}

Result<ExitStatus> explain_running(const Options& options, Context& context) {
  const Interruption interruption;
  const auto addresses =
      options.metrics.empty() ? PENSTOCK_TRY(services_of_the_queue(context)) : options.metrics;
  const auto& environment = context.environment();
  std::vector<MetricText> before;
  for (const auto& address : addresses) before.push_back(PENSTOCK_TRY(scrape("http://" + address, {})));
  context.output().progress("watching", -1);
  interruption.wait_for(std::chrono::duration_cast<std::chrono::milliseconds>(Seconds(options.seconds)));
  if (interruption.happened()) return ExitStatus::interrupted;
  // The queue's own metrics say what waits; without them the advice is less exact.
  std::optional<MetricText> queue;
  if (auto answer = scrape(environment.url, environment.api_key)) queue = std::move(answer).value();
  nlohmann::ordered_json object{{"ok", true}, {"devices", nlohmann::json::array()}};
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const MetricText after = PENSTOCK_TRY(scrape("http://" + addresses[i], {}));
    tell(PENSTOCK_TRY(explain::windows_between(before[i], after, queue)), object["devices"],
         context.output());
  }
  context.output().object(object);
  return ExitStatus::done;
}

}  // namespace

void add_explain(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  auto* verb = add_verb(
      app, "explain", "What holds the devices back now, by how much, and what to do",
      "  penstock explain\n"
      "  penstock explain --seconds 60\n"
      "  penstock explain --metrics 127.0.0.1:7791\n"
      "  penstock explain --from saved.prom            # since the service's start\n"
      "  penstock explain --from before.prom --from after.prom\n"
      "A saved scrape is what a service's /metrics answered, or what bench staging --metrics wrote.");
  add_cluster_options(verb, context);
  verb->add_option("--seconds", options->seconds, "How long to watch")
      ->check(seconds_between(0.1, 3600))
      ->capture_default_str();
  auto* metrics =
      verb->add_option("--metrics", options->metrics, "HOST:PORT of a gpu service; may be repeated")
          ->check(host_and_port());
  verb->add_option("--from", options->from, "A saved scrape, or two: before and after")
      ->expected(1, 2)
      ->excludes(metrics);
  context.on(verb, [options](Context& used) {
    return options->from.empty() ? explain_running(*options, used) : explain_saved(*options, used);
  });
}

}  // namespace penstock::cli
