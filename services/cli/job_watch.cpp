#include "services/cli/job_watch.hpp"

#include <fmt/format.h>

#include <chrono>

#include "common/base/clock.hpp"
#include "services/cli/job_view.hpp"

namespace penstock::cli {
namespace {

using nlohmann::json;

constexpr std::chrono::seconds outage_patience{60};  // a queue that restarts is back long before
constexpr std::chrono::milliseconds retry_pause{500};

Error interrupted(const std::string& id) {
  return {.code = ErrorCode::cancelled,
          .what = "interrupted; the job goes on",
          .hint = "follow it with: penstock job watch " + id};
}

// Decides whether a failed call is worth another: the queue may be restarting.
class Outage {
 public:
  explicit Outage(const Interruption& interruption) : interruption_(interruption) {}
  [[nodiscard]] bool tolerable(const Error& error) {
    if (error.code != ErrorCode::not_found || !error.what.starts_with("no queue answers")) return false;
    const auto now = std::chrono::steady_clock::now();
    if (since_ == SteadyTime{}) since_ = now;
    if (now - since_ > outage_patience) return false;
    interruption_.wait_for(retry_pause);
    return true;
  }
  void over() { since_ = SteadyTime{}; }

 private:
  const Interruption& interruption_;
  SteadyTime since_{};  // the epoch: there is no outage
};

std::string job_path(const std::string& id) {
  return "/v1/jobs/" + path_component(id);
}

void print_progress(const json& job, Output& output) {
  std::size_t finished = 0, all = 0;
  for (const auto& partition : job.value("partitions", json::array())) {
    const std::string state = partition.value("state", "");
    finished += state == "done" || state == "failed" || state == "cancelled";
    ++all;
  }
  output.progress(fmt::format("{} of {} partitions", finished, all),
                  all == 0 ? -1 : static_cast<double>(finished) / static_cast<double>(all));
}

void print_event(const std::string& event, const json& data, Output& output) {
  if (!data.is_object()) return;
  const std::string state = data.value("state", "");
  if (event == "job") {
    output.line(fmt::format("job {}", state));
  } else if (event == "partition") {
    output.line(fmt::format("partition {} {}", data.value("index", 0), state));
  }
}

}  // namespace

Result<json> wait_for_job(QueueClient& client, const std::string& id, const Interruption& interruption,
                          Output& output) {
  Outage outage(interruption);
  for (;;) {
    auto answer = client.get(job_path(id) + "?wait=30s");
    if (interruption.happened()) return interrupted(id);
    if (!answer) {
      if (outage.tolerable(answer.error())) continue;
      return std::move(answer).error();
    }
    outage.over();
    if (is_finished(answer->body)) return std::move(answer->body);
    print_progress(answer->body, output);
  }
}

Result<json> watch_job(QueueClient& client, const std::string& id, const Interruption& interruption,
                       Output& output) {
  return watch_job(client, id, interruption, output, [&] { interruption.wait_for(retry_pause); });
}

Result<json> watch_job(QueueClient& client, const std::string& id, const Interruption& interruption,
                       Output& output, const std::function<void()>& pause) {
  Outage outage(interruption);
  for (;;) {
    const Status streamed = client.events(job_path(id) + "/events", [&](const auto& event, const auto& data) {
      outage.over();
      const json parsed = json::parse(data, nullptr, false);
      print_event(event, parsed, output);
      return !(event == "job" && parsed.is_object() && is_finished(parsed));
    });
    if (interruption.happened()) return interrupted(id);
    if (!streamed && !outage.tolerable(streamed.error())) return streamed.error();
    auto answer = client.get(job_path(id));
    if (interruption.happened()) return interrupted(id);
    if (answer) outage.over();
    if (answer && is_finished(answer->body)) return std::move(answer->body);
    if (!answer && !outage.tolerable(answer.error())) return std::move(answer).error();
    if (answer) pause();  // the stream broke while the queue lives: whatever broke it may do so again
  }
}

}  // namespace penstock::cli
