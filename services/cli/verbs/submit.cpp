#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "services/cli/job_view.hpp"
#include "services/cli/job_watch.hpp"
#include "services/cli/verbs/verbs.hpp"

namespace penstock::cli {
namespace {

struct Options {
  std::string circuit, priority = "normal", deadline, idempotency_key, out;
  std::vector<std::string> inputs, witnesses;
  bool wait = false;
};

std::vector<UploadPart> parts_of(const Options& options) {
  nlohmann::json job{{"circuit", options.circuit}, {"priority", options.priority}};
  if (!options.deadline.empty()) job["deadline"] = options.deadline;
  std::vector<UploadPart> parts = {{.name = "job", .content_type = "application/json", .text = job.dump()}};
  for (const auto& input : options.inputs)
    parts.push_back({.name = "input", .content_type = "application/json", .file = input});
  for (const auto& witness : options.witnesses) parts.push_back({.name = "witness", .file = witness});
  return parts;
}

Result<ExitStatus> follow(const std::string& id, const Options& options, QueueClient& client,
                          const Interruption& interruption, Context& context) {
  Output& output = context.output();
  auto job = wait_for_job(client, id, interruption, output);
  if (!job && interruption.happened()) {
    output.error(job.error());
    return ExitStatus::interrupted;
  }
  if (!job) return as_refusal(std::move(job).error());
  print_job(*job, JobDetail::phases, output);
  if (!options.out.empty()) {
    const int written = PENSTOCK_TRY(write_proofs(*job, options.out));
    if (written > 0) output.line(fmt::format("{} proof(s) in {}", written, options.out));
  }
  auto status = status_of(*job);
  if (status) output.object(*job);
  if (status) return status;
  return as_refusal(std::move(status).error());
}

Result<ExitStatus> run(const Options& options, Context& context) {
  if (options.inputs.empty() == options.witnesses.empty())
    return Error{.code = ErrorCode::bad_request,
                 .what = "a job needs inputs or witnesses, one kind of them",
                 .hint = "give --input FILE or --witness FILE, several times for several proofs"};
  Interruption interruption;
  const auto client = connect(context);
  interruption.stops(*client);
  QueueClient::Headers headers;
  if (!options.idempotency_key.empty()) headers.emplace_back("Idempotency-Key", options.idempotency_key);
  auto accepted = client->post_parts("/v1/jobs", parts_of(options), headers);
  if (!accepted) return as_refusal(std::move(accepted).error());
  const std::string id = accepted->body.is_object() ? accepted->body.value("id", "") : std::string();
  context.output().line(id);
  if (options.wait || !options.out.empty()) return follow(id, options, *client, interruption, context);
  nlohmann::ordered_json object{{"ok", true}, {"id", id}};
  context.output().object(object);
  return ExitStatus::done;
}

}  // namespace

void add_submit(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  auto* verb = add_verb(
      app, "submit", "Submit a job: one proof per input or witness",
      "  penstock submit mul --input input.json --wait --out proofs\n"
      "  penstock submit mul --input a.json --input b.json --priority high\n"
      "  penstock submit mul --witness w.wtns --key order-4711     # once, however often it is sent\n"
      "Prints the job's id. With --wait it prints each proof's phases and exits 0 when all proofs\n"
      "are there; ctrl-c stops waiting, not the job.");
  verb->add_option("circuit", options->circuit, "Name of a registered circuit")->required();
  verb->add_option("--input", options->inputs, "input.json; several times for several proofs");
  verb->add_option("--witness", options->witnesses, "witness.wtns; several times for several proofs");
  verb->add_option("--priority", options->priority, "low, normal, high or critical")
      ->check(CLI::IsMember({"low", "normal", "high", "critical"}))
      ->capture_default_str();
  verb->add_option("--deadline", options->deadline, "The latest useful time: 30s, 5m, or RFC 3339");
  verb->add_option("--key", options->idempotency_key, "Idempotency key: the same job is admitted once");
  verb->add_flag("--wait", options->wait, "Wait until the job has ended");
  verb->add_option("--out", options->out, "Folder for the proofs (implies --wait)");
  add_cluster_options(verb, context);
  context.on(verb, [options](Context& used) { return run(*options, used); });
}

}  // namespace penstock::cli
