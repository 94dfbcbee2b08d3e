#include "services/queue/json_views.hpp"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

namespace penstock::queue {

namespace {

/// Builds one object member by member.
class Object {
 public:
  Object& raw(std::string_view key, std::string_view value) {
    fmt::format_to(std::back_inserter(text_), "{}\"{}\":{}", text_.size() > 1 ? "," : "", key, value);
    return *this;
  }
  Object& text(std::string_view key, std::string_view value) { return raw(key, json_string(value)); }
  template <class Number>
  Object& number(std::string_view key, Number value) {
    return raw(key, fmt::format("{}", value));
  }
  Object& flag(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
  [[nodiscard]] std::string close() {
    text_ += '}';
    return std::move(text_);
  }

 private:
  std::string text_ = "{";
};

template <class Range, class Render>
std::string array(const Range& values, Render render) {
  std::string text = "[";
  for (const auto& value : values) {
    if (text.size() > 1) text += ',';
    text += render(value);
  }
  text += ']';
  return text;
}

std::string phases_json(const telemetry::PhaseTimes& phases) {
  Object object;
  phases.for_each([&](Phase phase, telemetry::Duration spent) {
    object.raw(name(phase), fmt::format("{:.6f}", Seconds(spent).count()));
  });
  return object.close();
}

/// Everything but the partitions.
Object job_head(const JobRecord& job) {
  Object object;
  object.text("id", job.id.text())
      .text("circuit", job.circuit)
      .text("circuit_id", job.circuit_id.text())
      .text("curve", name(job.curve))
      .text("state", name(job.state))
      .text("priority", name(job.priority))
      .text("created", to_iso8601(job.created));
  if (job.deadline) object.text("deadline", to_iso8601(*job.deadline));
  if (job.finished) {
    object.text("finished", to_iso8601(*job.finished));
    object.raw("duration_seconds", fmt::format("{:.3f}", Seconds(*job.finished - job.created).count()));
  }
  return object;
}

Object partition_object(const PartitionRecord& partition) {
  Object object;
  object.number("index", partition.index)
      .text("state", name(partition.state))
      .number("attempts", partition.attempts);
  if (partition.state == PartitionState::done) {
    object.raw("proof", partition.end.proof_json).raw("public", partition.end.public_json);
    object.text("device", partition.end.device);
  }
  object.raw("phases", phases_json(partition.phases));
  if (is_finished(partition.state) && partition.end.error)
    object.raw("error", error_json(*partition.end.error));
  return object;
}

Object circuit_object(const CircuitRecord& circuit) {
  const wire::CircuitRef& ref = circuit.ref;
  Object object;
  object.text("name", ref.name)
      .text("id", ref.id.text())
      .text("curve", name(ref.curve))
      .number("variables", ref.variables)
      .number("publics", ref.publics)
      .number("domain_size", ref.domain_size)
      .flag("has_wasm", ref.has_wasm)
      .flag("has_r1cs", ref.has_r1cs)
      .flag("has_sym", ref.has_sym)
      .flag("insecure_dev", ref.insecure_dev)
      .text("created", to_iso8601(circuit.created));
  return object;
}

std::string worker_json(const Worker& worker, SteadyTime now) {
  const wire::Hello& hello = worker.hello;
  const bool is_gpu = hello.kind == wire::WorkerKind::gpu;
  Object object;
  object.text("name", hello.name.text())
      .text("kind", is_gpu ? "gpu" : "synthesis")
      .text("state", worker.is_draining() ? "draining" : "alive")
      .text("incarnation", hello.incarnation.text())
      .text("version", hello.version)
      .number("pid", hello.pid)
      .text("host_id", hello.host_id)
      .text("metrics", hello.metrics_address)
      .number("credits", hello.credits)
      .number("credits_free", worker.credits_free())
      .number("in_flight", worker.holds.size())
      .raw("last_heard_seconds", fmt::format("{:.3f}", Seconds(now - worker.last_heard).count()));
  if (is_gpu) {
    object.text("device", hello.device).number("arena_bytes", hello.arena_bytes);
    object.flag("allow_insecure_keys", hello.allow_insecure_keys);
    object.raw("endpoints", array(hello.data_endpoints, json_string));
  }
  return object.close();
}

std::string depth_json(const SchedulerStatus::Depth& depth) {
  Object object;
  object.number("queued", depth.queued)
      .number("retry_wait", depth.retry_wait)
      .number("synthesis", depth.synthesis)
      .number("staged", depth.staged)
      .number("proving", depth.proving);
  return object.close();
}

}  // namespace

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string job_json(const JobRecord& job) {
  return job_head(job).raw("partitions", array(job.partitions, partition_json)).close();
}

std::string job_event_json(const JobRecord& job) {
  return job_head(job).number("partition_count", job.partitions.size()).close();
}

std::string partition_json(const PartitionRecord& partition) {
  return partition_object(partition).close();
}

std::string partition_event_json(const JobId& job, const PartitionRecord& partition) {
  return partition_object(partition).text("job", job.text()).close();
}

std::string job_list_json(const std::vector<JobSummary>& jobs) {
  const auto render = [](const JobSummary& summary) {
    Object counts;
    counts.number("total", summary.partitions)
        .number("done", summary.done)
        .number("failed", summary.failed)
        .number("cancelled", summary.cancelled);
    return job_head(summary.job).raw("partition_counts", counts.close()).close();
  };
  return Object().raw("jobs", array(jobs, render)).close();
}

std::string circuit_json(const CircuitRecord& circuit, std::string_view verification_key) {
  Object object = circuit_object(circuit);
  if (!verification_key.empty()) object.raw("verification_key", verification_key);
  return object.close();
}

std::string circuit_list_json(const std::vector<CircuitRecord>& circuits) {
  return Object()
      .raw("circuits", array(circuits, [](const auto& one) { return circuit_object(one).close(); }))
      .close();
}

std::string error_json(const Error& error) {
  Object object;
  object.text("code", name(error.code)).text("message", error.what).text("hint", error.hint);
  if (!error.file.empty()) object.text("file", error.file);
  if (error.offset) object.number("offset", *error.offset);
  return object.close();
}

std::string status_json(const QueueFacts& queue, const SchedulerStatus& status, const WorkerPool& workers,
                        SteadyTime now) {
  Object facts;
  facts.text("name", queue.name)
      .text("version", queue.version)
      .text("incarnation", queue.incarnation)
      .flag("draining", queue.draining)
      .raw("uptime_seconds", fmt::format("{:.1f}", queue.uptime_seconds))
      .number("circuits", queue.circuits)
      .number("unfinished_jobs", status.jobs)
      .raw("oldest_age_seconds", fmt::format("{:.3f}", status.oldest_age_seconds));
  SchedulerStatus::Depth total;
  Object by_priority;
  for (std::size_t i = 0; i < status.by_priority.size(); ++i) {
    const auto& depth = status.by_priority[i];
    total.queued += depth.queued;
    total.retry_wait += depth.retry_wait;
    total.synthesis += depth.synthesis;
    total.staged += depth.staged;
    total.proving += depth.proving;
    by_priority.raw(priority_names[i], depth_json(depth));
  }
  Object credits;
  for (const auto kind : {wire::WorkerKind::synthesis, wire::WorkerKind::gpu}) {
    Object pair;
    pair.number("free", workers.credits_free(kind)).number("total", workers.credits_total(kind));
    credits.raw(kind == wire::WorkerKind::gpu ? "gpu" : "synthesis", pair.close());
  }
  Object backlog, rates;
  backlog.raw("synthesis", fmt::format("{:.3f}", status.synthesis_backlog_seconds))
      .raw("gpu", fmt::format("{:.3f}", status.gpu_backlog_seconds));
  rates.raw("staged_per_second", fmt::format("{:.3f}", status.staged_per_second))
      .raw("proved_per_second", fmt::format("{:.3f}", status.proved_per_second));
  return Object()
      .raw("queue", facts.close())
      .raw("workers", array(workers.all(), [&](const auto& entry) { return worker_json(entry.second, now); }))
      .raw("credits", credits.close())
      .raw("depth", depth_json(total))
      .raw("depth_by_priority", by_priority.close())
      .raw("backlog_seconds", backlog.close())
      .raw("rates", rates.close())
      .close();
}

}  // namespace penstock::queue
