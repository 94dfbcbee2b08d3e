#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "services/cli/job_view.hpp"
#include "services/cli/job_watch.hpp"
#include "services/cli/verbs/verbs.hpp"

namespace penstock::cli {
namespace {

using nlohmann::json;

std::string job_path(const std::string& id) {
  return "/v1/jobs/" + path_component(id);
}

// The list itself, whether the queue wraps it in an object or not.
json list_in(const json& body, const char* key) {
  if (body.is_array()) return body;
  return body.is_object() ? body.value(key, json::array()) : json::array();
}

Result<ExitStatus> list(Context& context) {
  auto answer = connect(context)->get("/v1/jobs");
  if (!answer) return as_refusal(std::move(answer).error());
  const json jobs = list_in(answer->body, "jobs");
  for (const auto& job : jobs)
    context.output().line(fmt::format("{:<40} {:<20} {}", job.value("id", ""), job.value("circuit", ""),
                                      job.value("state", "")));
  if (jobs.empty()) context.output().line("no jobs");
  nlohmann::ordered_json object{{"ok", true}, {"jobs", jobs}};
  context.output().object(object);
  return ExitStatus::done;
}

Result<ExitStatus> show(const std::string& id, const std::string& out, Context& context) {
  auto answer = connect(context)->get(job_path(id));
  if (!answer) return as_refusal(std::move(answer).error());
  print_job(answer->body, JobDetail::phases, context.output());
  if (!out.empty()) {
    const int written = PENSTOCK_TRY(write_proofs(answer->body, out));
    context.output().line(fmt::format("{} proof(s) in {}", written, out));
  }
  context.output().object(answer->body);
  return ExitStatus::done;
}

Result<ExitStatus> watch(const std::string& id, Context& context) {
  Interruption interruption;
  const auto client = connect(context);
  interruption.stops(*client);
  auto job = watch_job(*client, id, interruption, context.output());
  if (!job && interruption.happened()) {
    context.output().error(job.error());
    return ExitStatus::interrupted;
  }
  if (!job) return as_refusal(std::move(job).error());
  print_job(*job, JobDetail::brief, context.output());
  auto status = status_of(*job);
  if (!status) return as_refusal(std::move(status).error());
  context.output().object(*job);
  return status;
}

Result<ExitStatus> cancel(const std::string& id, Context& context) {
  auto answer = connect(context)->remove(job_path(id));
  if (!answer) return as_refusal(std::move(answer).error());
  const std::string state = answer->body.is_object() ? answer->body.value("state", "") : "";
  if (state != "cancelled")
    return as_refusal({.code = ErrorCode::conflict,
                       .what = "the job is not cancelled, it is " + state,
                       .hint = "look again with: penstock job show " + id});
  context.output().line(state + " " + id);
  nlohmann::ordered_json object{{"ok", true}, {"id", id}, {"state", state}};
  context.output().object(object);
  return ExitStatus::done;
}

CLI::App* with_id(CLI::App& group, const std::string& name, const std::string& sentence, std::string& id,
                  Context& context) {
  auto* verb = add_verb(group, name, sentence, "");
  verb->add_option("id", id, "The job's id")->required();
  add_cluster_options(verb, context);
  return verb;
}

}  // namespace

void add_job(CLI::App& app, Context& context) {
  auto* group = add_verb(app, "job", "List, show, watch and cancel jobs",
                         "  penstock job list\n"
                         "  penstock job show ID --out proofs\n"
                         "  penstock job watch ID      # live, until it has ended\n"
                         "  penstock job cancel ID");
  group->require_subcommand(1);
  auto id = std::make_shared<std::string>();
  auto out = std::make_shared<std::string>();
  auto* list_verb = add_verb(*group, "list", "The latest jobs", "");
  add_cluster_options(list_verb, context);
  context.on(list_verb, list);
  auto* show_verb = with_id(*group, "show", "A job, its partitions and where their time went", *id, context);
  show_verb->add_option("--out", *out, "Folder for the proofs");
  context.on(show_verb, [id, out](Context& used) { return show(*id, *out, used); });
  context.on(with_id(*group, "watch", "Every change of a job until it has ended", *id, context),
             [id](Context& used) { return watch(*id, used); });
  context.on(with_id(*group, "cancel", "Cancel what has not been proved", *id, context),
             [id](Context& used) { return cancel(*id, used); });
}

}  // namespace penstock::cli
