// Following one job: long polls until it has ended, or its events as they come.
// Errors: cancelled when the caller was interrupted; the job goes on.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "services/cli/cluster.hpp"

namespace penstock::cli {

/// Long polls; survives restarts of the queue for `patience` without an answer.
[[nodiscard]] Result<nlohmann::json> wait_for_job(QueueClient& client, const std::string& id,
                                                  const Interruption& interruption, Output& output);
/// Prints every change until the job has ended; takes the stream up again when it breaks. Returns the job.
[[nodiscard]] Result<nlohmann::json> watch_job(QueueClient& client, const std::string& id,
                                               const Interruption& interruption, Output& output);
/// The same with a pause of the caller's between two streams.
[[nodiscard]] Result<nlohmann::json> watch_job(QueueClient& client, const std::string& id,
                                               const Interruption& interruption, Output& output,
                                               const std::function<void()>& pause);

}  // namespace penstock::cli
