#include "services/cli/job_view.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common/base/phase.hpp"
#include "services/cli/proof_files.hpp"

namespace penstock::cli {
namespace {

using nlohmann::json;

std::string text_of(const json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

const json& partitions_of(const json& job) {
  static const json none = json::array();
  const auto it = job.find("partitions");
  return it != job.end() && it->is_array() ? *it : none;
}

Error error_of(const json& partition) {
  const json& told = partition.at("error");
  Error error;
  error.code = error_code_from(text_of(told, "code")).value_or(ErrorCode::internal);
  error.what = text_of(told, "message");
  error.hint = text_of(told, "hint");
  error.file = text_of(told, "file");
  return error;
}

bool has_value(const json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && !it->is_null();
}

void print_phases(const json& partition, Output& output) {
  if (!has_value(partition, "phases")) return;
  for (const auto label : phase_names) {
    const auto it = partition["phases"].find(std::string(label));
    if (it == partition["phases"].end() || !it->is_number()) continue;
    output.line(fmt::format("      {:<12} {:>12}", label, duration_text(it->get<double>())));
  }
}

std::string document(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump(1);
}

}  // namespace

bool is_finished(const json& job) {
  const std::string state = text_of(job, "state");
  return state == "done" || state == "failed" || state == "cancelled";
}

void print_job(const json& job, JobDetail detail, Output& output) {
  output.line(fmt::format("job {} circuit {} {}", text_of(job, "id"), text_of(job, "circuit"),
                          text_of(job, "state")));
  for (const auto& partition : partitions_of(job)) {
    output.line(fmt::format("  partition {}: {}, attempts {}", partition.value("index", 0),
                            text_of(partition, "state"), partition.value("attempts", 0)));
    if (has_value(partition, "error")) output.line("      " + to_string(error_of(partition)));
    if (detail == JobDetail::phases) print_phases(partition, output);
  }
}

Result<ExitStatus> status_of(const json& job) {
  if (text_of(job, "state") == "done") return ExitStatus::done;
  for (const auto& partition : partitions_of(job)) {
    if (!has_value(partition, "error")) continue;
    Error error = error_of(partition);
    if (error.file.empty()) error.file = fmt::format("partition {}", partition.value("index", 0));
    return error;
  }
  return Error{.code = ErrorCode::cancelled, .what = "the job was " + text_of(job, "state")};
}

Result<int> write_proofs(const json& job, const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    return Error{.code = ErrorCode::file_unwritable, .what = failed.message(), .file = folder.string()};
  const bool several = partitions_of(job).size() > 1;
  int written = 0;
  for (const auto& partition : partitions_of(job)) {
    if (!has_value(partition, "proof") || !has_value(partition, "public")) continue;
    const std::string suffix = several ? fmt::format("_{}", partition.value("index", 0)) : std::string();
    PENSTOCK_TRY(write_proof_files(folder / ("proof" + suffix + ".json"),
                                   folder / ("public" + suffix + ".json"), document(partition["proof"]),
                                   document(partition["public"])));
    ++written;
  }
  return written;
}

}  // namespace penstock::cli
