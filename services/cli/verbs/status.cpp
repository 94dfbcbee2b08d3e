#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "services/cli/cluster.hpp"
#include "services/cli/verbs/verbs.hpp"

namespace penstock::cli {
namespace {

using nlohmann::json;

double number(const json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_number() ? it->get<double>() : 0;
}

void print_workers(const json& workers, Output& output) {
  for (const auto& worker : workers)
    output.line(fmt::format("  {:<16} {:<10} pid {:<8} {:>2} of {} credits free, heard {} ago{}",
                            worker.value("name", ""), worker.value("kind", ""), worker.value("pid", 0),
                            worker.value("credits_free", 0), worker.value("credits", 0),
                            duration_text(number(worker, "last_heard_seconds")),
                            worker.contains("device") ? ", device " + worker.value("device", "") : ""));
  if (workers.empty()) output.line("  no workers");
}

void print_status(const json& status, Output& output) {
  const json queue = status.value("queue", json::object());
  const json depth = status.value("depth", json::object());
  const json rates = status.value("rates", json::object());
  output.line(fmt::format("queue {} {}{}, {} circuits, {} unfinished jobs, up {:.0f} s",
                          queue.value("name", ""), queue.value("version", ""),
                          queue.value("draining", false) ? " (draining)" : "", queue.value("circuits", 0),
                          queue.value("unfinished_jobs", 0), number(queue, "uptime_seconds")));
  output.line(fmt::format("partitions: {} queued, {} to be retried, {} in synthesis, {} staged, {} proving",
                          depth.value("queued", 0), depth.value("retry_wait", 0), depth.value("synthesis", 0),
                          depth.value("staged", 0), depth.value("proving", 0)));
  output.line(fmt::format("rates: {:.2f} staged/s, {:.2f} proved/s; oldest waits {}",
                          number(rates, "staged_per_second"), number(rates, "proved_per_second"),
                          duration_text(number(queue, "oldest_age_seconds"))));
  print_workers(status.value("workers", json::array()), output);
}

Result<ExitStatus> run(Context& context) {
  auto answer = connect(context)->get("/v1/status");
  if (!answer) return as_refusal(std::move(answer).error());
  print_status(answer->body, context.output());
  context.output().object(answer->body);
  return ExitStatus::done;
}

}  // namespace

void add_status(CLI::App& app, Context& context) {
  auto* verb = add_verb(app, "status", "The cluster at a glance: queue, workers, what waits, rates",
                        "  penstock status\n"
                        "  penstock status --url http://prover.example:7780 --json");
  add_cluster_options(verb, context);
  context.on(verb, run);
}

}  // namespace penstock::cli
