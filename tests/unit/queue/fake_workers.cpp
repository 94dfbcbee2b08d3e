#include "tests/unit/queue/fake_workers.hpp"

#include <nlohmann/json.hpp>

#include "common/wire/arena.hpp"

namespace penstock::queue::test {

using namespace std::chrono_literals;

FakeWorker::FakeWorker(const ContextPtr& context, const Options& options, wire::WorkerKind kind)
    : options_(options), loop_(context), kind_(kind) {}

FakeWorker::~FakeWorker() {
  kill();
}

void FakeWorker::start() {
  auto socket = loop_.connect_dealer(options_.queue_address, options_.name + "/" + options_.boot,
                                     [this](const wire::Message& message) { receive(message); });
  socket_ = std::move(socket).value();
  send(hello());
  loop_.every(50ms, [this] {
    // As the real ones do: after a silence, Hello again under the same incarnation.
    if (std::chrono::steady_clock::now() - last_heard_ > 800ms) welcomed_ = false;
    if (!welcomed_) return send(hello());
    send(wire::Heartbeat{.incarnation = Incarnation(options_.boot), .credits_free = 0, .in_flight = held_});
  });
  thread_ = std::thread([this] { loop_.run(); });
}

void FakeWorker::kill() {
  if (!thread_.joinable()) return;
  loop_.stop();
  thread_.join();
  loop_.close(std::exchange(socket_, nullptr));
}

void FakeWorker::drain() {
  loop_.post([this] {
    options_.credits = 0;
    send(hello());
  });
}

wire::Hello FakeWorker::hello() const {
  wire::Hello hello;
  hello.kind = kind_;
  hello.name = WorkerName(options_.name);
  hello.incarnation = Incarnation(options_.boot);
  hello.version = "fake";
  hello.host_id = "host";
  hello.credits = options_.credits;
  hello.allow_insecure_keys = options_.allow_insecure_keys;
  if (kind_ == wire::WorkerKind::gpu) hello.device = "cpu";
  return hello;
}

void FakeWorker::receive(const wire::Message& message) {
  last_heard_ = std::chrono::steady_clock::now();
  if (std::holds_alternative<wire::Welcome>(message)) welcomed_ = true;
  if (!std::holds_alternative<wire::Heartbeat>(message)) {
    const std::lock_guard hold(mutex_);
    received_.push_back(message);
  }
  on_message(message);
}

void FakeWorker::send(const wire::Message& message) {
  if (socket_) static_cast<void>(socket_->send(message));
}

std::vector<wire::Message> FakeWorker::received() const {
  const std::lock_guard hold(mutex_);
  return received_;
}

void FakeWorker::hold(const wire::PartitionRef& partition) {
  held_.push_back(partition);
}
void FakeWorker::let_go(const wire::PartitionRef& partition) {
  std::erase_if(held_, [&](const wire::PartitionRef& held) { return held.token == partition.token; });
}
bool FakeWorker::holds(const wire::PartitionRef& partition) const {
  return std::any_of(held_.begin(), held_.end(),
                     [&](const auto& held) { return held.token == partition.token; });
}

// ---- gpu ----

FakeGpu::FakeGpu(const ContextPtr& context, const Options& options)
    : FakeWorker(context, options, wire::WorkerKind::gpu) {
  start();
}

void FakeGpu::stage(const wire::PartitionRef& partition, const std::string& publics) {
  loop_.post([this, partition, publics] {
    hold(partition);
    send(wire::PartitionProgress{.partition = partition, .stage = wire::PartitionStage::proving});
    if (withholding_)
      waiting_.emplace_back(partition, publics);
    else
      prove(partition, publics);
  });
}

void FakeGpu::prove(const wire::PartitionRef& partition, const std::string& publics) {
  telemetry::PhaseTimes phases;
  phases.add(Phase::witness, 3ms);
  phases.add(Phase::msm_h, 5ms);
  send(wire::PartitionProved{.partition = partition,
                             .proof_json = R"({"pi_a":["1","2","1"],"protocol":"groth16"})",
                             .public_json = publics,
                             .device = "cpu",
                             .phases = phases});
}

void FakeGpu::withhold() {
  loop_.post([this] { withholding_ = true; });
}

void FakeGpu::release() {
  loop_.post([this] {
    withholding_ = false;
    for (const auto& [partition, publics] : std::exchange(waiting_, {})) prove(partition, publics);
  });
}

void FakeGpu::on_message(const wire::Message& message) {
  if (const auto* committed = std::get_if<wire::ResultCommitted>(&message)) let_go(committed->partition);
  if (const auto* cancelled = std::get_if<wire::CancelPartition>(&message)) {
    let_go(cancelled->partition);
    std::erase_if(waiting_, [&](const auto& one) { return one.first.token == cancelled->partition.token; });
  }
}

// ---- synthesis ----

FakeSynthesis::FakeSynthesis(const ContextPtr& context, const Options& options, std::vector<FakeGpu*> gpus)
    : FakeWorker(context, options, wire::WorkerKind::synthesis), gpus_(std::move(gpus)) {
  start();
}

void FakeSynthesis::on_message(const wire::Message& message) {
  if (const auto* task = std::get_if<wire::SynthesisTask>(&message)) {
    hold(task->partition);
    synthesise(*task);
  }
  if (const auto* cancelled = std::get_if<wire::CancelPartition>(&message)) {
    if (!holds(cancelled->partition)) return;
    let_go(cancelled->partition);
    std::erase_if(held_tasks_,
                  [&](const auto& one) { return one.partition.token == cancelled->partition.token; });
    send(wire::PartitionFailed{.partition = cancelled->partition,
                               .error = Error{.code = ErrorCode::cancelled, .what = "cancelled"},
                               .retryable = false,
                               .phases = {}});
  }
}

void FakeSynthesis::synthesise(const wire::SynthesisTask& task) {
  if (task.input_kind == wire::InputKind::wtns) return stage(task);
  const auto* text = reinterpret_cast<const char*>(task.input.data());
  const auto input = nlohmann::json::parse(text, text + task.input.size());
  const std::string order = input.value("_fake", "");
  const auto fail = [&](ErrorCode code, bool retryable) {
    let_go(task.partition);
    send(wire::PartitionFailed{.partition = task.partition,
                               .error = Error{.code = code, .what = "as ordered"},
                               .retryable = retryable,
                               .phases = {}});
  };
  if (order == "refuse") return fail(ErrorCode::signal_missing, false);
  const std::string id = task.partition.job.text() + std::to_string(task.partition.index);
  if (order == "trip" && tripped_.insert(id).second) return fail(ErrorCode::internal, true);
  if (order == "hold") {
    held_tasks_.push_back(task);
    return;
  }
  stage(task);
}

void FakeSynthesis::stage(const wire::SynthesisTask& task) {
  nlohmann::json publics = nlohmann::json::array();
  if (task.input_kind == wire::InputKind::json) {
    const auto* text = reinterpret_cast<const char*>(task.input.data());
    const auto input = nlohmann::json::parse(text, text + task.input.size());
    for (const auto& [name, value] : input.items())
      if (name != "_fake") publics.push_back(value);
  }
  for (FakeGpu* gpu : gpus_) {
    if (gpu->count<wire::Welcome>() == 0) continue;
    gpu->stage(task.partition, publics.dump());
    break;
  }
  let_go(task.partition);
  send(wire::PartitionStaged{.partition = task.partition, .gpu = task.gpu.incarnation, .phases = {}});
}

void FakeSynthesis::release() {
  loop_.post([this] {
    for (const auto& task : std::exchange(held_tasks_, {})) stage(task);
  });
}

}  // namespace penstock::queue::test
