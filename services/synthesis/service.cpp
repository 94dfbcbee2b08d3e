#include "services/synthesis/service.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "common/runtime/announcement.hpp"
#include "common/runtime/health.hpp"
#include "common/runtime/log.hpp"
#include "common/runtime/process.hpp"
#include "common/runtime/queue_link.hpp"
#include "common/runtime/security.hpp"
#include "common/runtime/turned_away.hpp"
#include "common/staging/gpu_links.hpp"
#include "services/synthesis/compile_ahead.hpp"
#include "services/synthesis/synthesis_core.hpp"
#include "services/synthesis/witness/program_cache.hpp"
#include "services/synthesis/witness/runner_process.hpp"

namespace penstock::synthesis {
namespace {

constexpr std::chrono::milliseconds tick_interval{200};
constexpr std::chrono::milliseconds farewell{200};  ///< for the last messages to leave the sockets
/// The label `device` of phases that no device takes part in.
constexpr std::string_view no_device = "none";

std::string host_part(const std::string& address_port) {
  return address_port.substr(0, address_port.rfind(':'));
}

class RunningService final : public Service {
 public:
  explicit RunningService(const Settings& settings)
      : settings_(settings),
        incarnation_(random_uuid()),
        circuits_(settings.circuits),
        loop_(wire::MessageLoop::make_context(static_cast<int>(settings.io_threads))),
        gpus_(loop_, clock_, settings.name + "/" + incarnation_.text(),
              static_cast<int>(settings.connections)),
        runner_(options_, circuits_, gpus_, arenas_, clock_) {}

  [[nodiscard]] Status open() {
    log_ = PENSTOCK_TRY(runtime::make_logger(settings_.name, settings_.log_level, settings_.log_format));
    PENSTOCK_TRY(open_options());
    const auto build = runtime::build_info();
    metrics_ = std::make_unique<telemetry::Metrics>(telemetry::Service::synthesis, build.version,
                                                    build.commit, build.cuda);
    security_ = PENSTOCK_TRY(runtime::open_security(
        {.key = settings_.curve_key, .clients = {}, .queue_key = settings_.queue_key, .serves = false}));
    if (security_.loop) loop_.secure(*security_.loop);
    turned_away_.emplace(clock_, nullptr, [this](const std::string& what) { log_->warn("{}", what); });
    loop_.on_turned_away([this](const auto& one) {
      turned_away_->note(one);
      gpus_.turned_away(one.address, one.error);
    });
    open_core();
    PENSTOCK_TRY(open_health());
    PENSTOCK_TRY(link_->start());
    log_->info("{}: {} partitions at once, programs in {}", settings_.name, credits_, settings_.cache);
    return {};
  }

  void run() override { loop_.run(); }
  void drain() override {
    loop_.post([this] { begin_drain("a signal"); });
  }

 private:
  Status open_options() {
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    credits_ = settings_.credits > 0 ? static_cast<std::uint32_t>(settings_.credits) : cores;
    options_.programs.cache_folder = settings_.cache;
    options_.programs.cache_max_bytes = settings_.cache_bytes;
    // Found out now, not with the first task.
    options_.programs.runner = PENSTOCK_TRY(find_runner({}));
    static_cast<void>(PENSTOCK_TRY(ProgramCache::open(settings_.cache, settings_.cache_bytes)));
    options_.witness_time_limit = settings_.witness_time_limit;
    options_.witness_memory_limit = settings_.witness_memory_limit;
    options_.check_r1cs = settings_.check_r1cs;
    options_.check_threads = static_cast<int>(std::max(1U, cores / credits_));
    options_.staging.worker = WorkerName(settings_.name);
    options_.staging.incarnation = incarnation_;
    options_.staging.host_id = wire::host_id();
    options_.staging.slab_wait_limit = settings_.slab_wait_limit;
    return {};
  }

  void open_core() {
    compile_ahead_ =
        std::make_unique<CompileAhead>(circuits_, options_.programs,
                                       [this](const wire::CircuitRef& circuit, std::chrono::nanoseconds spent,
                                              const Status& status) { compiled(circuit, spent, status); });
    core_ = std::make_unique<SynthesisCore>(
        credits_, runner_,
        CoreOutbox{.to_queue = [this](const wire::Message& message) { return link_->send(message); },
                   .post = [this](std::function<void()> work) { loop_.post(std::move(work)); }},
        CoreHandlers{.finished = [this](const FinishedTask& task) { finished(task); },
                     .offered =
                         [this](const wire::CircuitRef& circuit) {
                           if (settings_.compile_ahead) compile_ahead_->offer(circuit);
                         },
                     .withdrawn = [this](const CircuitId& id) { circuits_.forget(id); }});
    link_ = std::make_unique<runtime::QueueLink>(
        loop_, clock_, runtime::QueueAddress{settings_.queue, security_.queue_key},
        runtime::QueueLinkHandlers{
            .hello = [this] { return hello(); },
            .heartbeat = [this] { return heartbeat(); },
            .received = [this](wire::Message message) { from_queue(std::move(message)); },
            .say = [this](const std::string& what) { log_->warn("{}", what); }});
    loop_.every(tick_interval, [this] { tick(); });
  }

  Status open_health() {
    health_.add("queue", [this]() -> Status {
      if (queue_up_) return {};
      return Error{.code = ErrorCode::not_found, .what = "the queue does not answer at " + settings_.queue};
    });
    health_.add("cache", [this]() -> Status {
      auto cache = ProgramCache::open(settings_.cache, settings_.cache_bytes);
      if (!cache.ok()) return std::move(cache).error();
      return {};
    });
    health_.add("not_draining", [this]() -> Status {
      if (!draining_) return {};
      return Error{.code = ErrorCode::draining, .what = "the service is draining"};
    });
    server_ = PENSTOCK_TRY(runtime::start_observability(settings_.metrics, health_, *metrics_));
    metrics_address_ = host_part(settings_.metrics) + ":" + std::to_string(server_->port());
    announcement_.emplace(
        PENSTOCK_TRY(runtime::Announcement::publish(settings_.run, {.name = settings_.name,
                                                                    .kind = "synthesis",
                                                                    .incarnation = incarnation_.text(),
                                                                    .version = runtime::build_info().version,
                                                                    .metrics = metrics_address_,
                                                                    .http = {},
                                                                    .endpoints = {}})));
    return {};
  }

  wire::Hello hello() const {
    wire::Hello hello;
    hello.kind = wire::WorkerKind::synthesis;
    hello.name = WorkerName(settings_.name);
    hello.incarnation = incarnation_;
    hello.version = runtime::build_info().version;
    hello.pid = ::getpid();
    hello.host_id = options_.staging.host_id;
    hello.credits = core_->credits();
    hello.metrics_address = metrics_address_;
    return hello;
  }

  wire::Heartbeat heartbeat() const {
    return {
        .incarnation = incarnation_, .credits_free = core_->credits_free(), .in_flight = core_->in_flight()};
  }

  void from_queue(wire::Message message) {
    if (std::holds_alternative<wire::Welcome>(message))
      log_->info("welcomed by the queue at {}", settings_.queue);
    if (std::holds_alternative<wire::Drain>(message)) return begin_drain("the queue");
    core_->from_queue(std::move(message));
  }

  void finished(const FinishedTask& task) {
    metrics_->observe_phases(task.phases, task.circuit.curve, no_device);
    const auto& ref = task.partition;
    if (task.error)
      return log_->warn("job {} partition {} attempt {}: {}", ref.job.text(), ref.index, ref.attempt,
                        to_string(*task.error));
    if (!log_->should_log(spdlog::level::debug)) return;
    std::string phases;
    task.phases.for_each([&](Phase phase, telemetry::Duration spent) {
      phases += fmt::format(" {}={:.6f}", name(phase), Seconds(spent).count());
    });
    log_->debug("job {} partition {} attempt {} staged:{}", ref.job.text(), ref.index, ref.attempt, phases);
  }

  void compiled(const wire::CircuitRef& circuit, std::chrono::nanoseconds spent, const Status& status) {
    if (!status.ok())
      return log_->warn("circuit {}: its program stays interpreted: {}", circuit.name,
                        to_string(status.error()));
    telemetry::PhaseTimes phases;
    phases.add(Phase::compile, spent);
    metrics_->observe_phases(phases, circuit.curve, no_device);
    log_->info("circuit {}: program compiled after {:.1f} s", circuit.name, Seconds(spent).count());
  }

  void begin_drain(std::string_view by) {
    if (draining_.exchange(true)) return;
    log_->info("draining, asked by {}", by);
    core_->begin_drain();
    drain_until_ = clock_.steady_now() + settings_.drain_timeout;
    link_->say_hello();  // with no credits: no more tasks come
  }

  void tick() {
    gpus_.tick();
    queue_up_ = link_->up();
    if (!draining_ || leaving_) return;
    const bool late = clock_.steady_now() > drain_until_;
    if (!core_->drained() && !late) return;
    leaving_ = true;
    log_->info(late ? "not everything could be finished in time: the queue gives it to another" : "drained");
    static_cast<void>(link_->send(wire::Goodbye{incarnation_}));
    loop_.after(farewell, [this] { loop_.stop(); });
  }

  const Settings settings_;
  const Incarnation incarnation_;
  SystemClock clock_;
  std::shared_ptr<spdlog::logger> log_;
  std::uint32_t credits_ = 1;
  TaskOptions options_;
  CircuitShelf circuits_;
  staging::Arenas arenas_;
  runtime::Security security_;
  std::optional<runtime::TurnedAwayLog> turned_away_;
  wire::MessageLoop loop_;
  staging::GpuLinks gpus_;
  TaskRunner runner_;
  std::unique_ptr<telemetry::Metrics> metrics_;
  std::unique_ptr<CompileAhead> compile_ahead_;
  std::unique_ptr<SynthesisCore> core_;
  std::unique_ptr<runtime::QueueLink> link_;
  std::string metrics_address_;
  std::atomic<bool> queue_up_ = false, draining_ = false;
  bool leaving_ = false;
  SteadyTime drain_until_{};
  runtime::Health health_;
  std::unique_ptr<runtime::HttpServer> server_;
  std::optional<runtime::Announcement> announcement_;
};

}  // namespace

Result<std::unique_ptr<Service>> Service::start(const Settings& settings) {
  Settings named = settings;
  if (named.name.empty()) named.name = runtime::host_name();
  if (!is_safe_name(named.name))
    return Error{.code = ErrorCode::bad_request,
                 .what = "synthesis.name may hold letters, digits, '_', '.' and '-' only"};
  auto service = std::make_unique<RunningService>(named);
  PENSTOCK_TRY(service->open());
  return std::unique_ptr<Service>(std::move(service));
}

}  // namespace penstock::synthesis
