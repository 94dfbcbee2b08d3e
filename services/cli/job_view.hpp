// A job as the queue tells it, for people: one line a partition, its phases, its error; its proofs as files.
// Errors: bad_format when the queue's JSON is not a job, file_unwritable.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "services/cli/context.hpp"

namespace penstock::cli {

[[nodiscard]] bool is_finished(const nlohmann::json& job);
/// Header, partitions and, `with_phases`, where the time went.
enum class JobDetail { brief, phases };
void print_job(const nlohmann::json& job, JobDetail detail, Output& output);
/// done -> 0; failed or cancelled -> the first partition's error.
[[nodiscard]] Result<ExitStatus> status_of(const nlohmann::json& job);
/// proof.json and public.json (proof_N.json, public_N.json of several) for every proved partition; the folder
/// is created. Returns the number of proofs.
[[nodiscard]] Result<int> write_proofs(const nlohmann::json& job, const std::filesystem::path& folder);

}  // namespace penstock::cli
