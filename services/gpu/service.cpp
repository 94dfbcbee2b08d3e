#include "services/gpu/service.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <optional>

#include "common/groth16/host_device.hpp"
#include "common/runtime/announcement.hpp"
#include "common/runtime/health.hpp"
#include "common/runtime/log.hpp"
#include "common/runtime/process.hpp"
#include "common/runtime/queue_link.hpp"
#include "common/runtime/security.hpp"
#include "common/runtime/turned_away.hpp"
#include "common/wire/arena.hpp"
#include "common/wire/message_loop.hpp"
#include "common/wire/owner_lock.hpp"
#include "cuda/groth16/cuda_device.hpp"
#include "cuda/groth16/device_monitor.hpp"
#include "services/gpu/device_choice.hpp"
#include "services/gpu/device_sampler.hpp"
#include "services/gpu/gpu_core.hpp"
#include "services/gpu/key_circuit_loader.hpp"

namespace penstock::gpu {
namespace {

constexpr std::chrono::milliseconds tick_interval{200};
constexpr std::chrono::milliseconds farewell{200};  ///< for the last messages to leave the sockets

// "cuda:0" -> "gpu-0", "cpu" -> "gpu-cpu".
std::string default_name(const std::string& device) {
  return device.starts_with("cuda:") ? "gpu-" + device.substr(5) : "gpu-" + device;
}

std::string host_part(const std::string& address_port) {
  return address_port.substr(0, address_port.rfind(':'));
}

class RunningService final : public Service {
 public:
  explicit RunningService(const Settings& settings)
      : settings_(settings),
        incarnation_(random_uuid()),
        loop_(wire::MessageLoop::make_context(static_cast<int>(settings.io_threads))) {}

  [[nodiscard]] Status open() {
    PENSTOCK_TRY(open_device());
    PENSTOCK_TRY(open_core());
    PENSTOCK_TRY(open_sockets());
    PENSTOCK_TRY(open_health());
    log_->info("{} on {} ({}): arena {} MiB, {} lanes", settings_.name, device_->info().name,
               device_->info().description, settings_.arena_bytes >> 20, settings_.lanes);
    return {};
  }

  [[nodiscard]] Status run() override {
    loop_.run();
    if (const auto fault = core_->fault()) return *fault;
    if (arena_error_) return *arena_error_;
    return {};
  }

  void drain() override {
    loop_.post([this] {
      if (parked_) loop_.stop();
      asked_to_end_ = true;
      begin_drain("a signal");
    });
  }

 private:
  Status open_device() {
    const int threads = static_cast<int>(settings_.threads);
    PENSTOCK_TRY(lock_device());
    device_ = PENSTOCK_TRY(gpu::open_device({.name = settings_.device,
                                             .threads = threads,
                                             .host_pinned = settings_.pin_threads,
                                             .host_table_bytes = settings_.host_tables}));
    if (device_->info().name != "cpu") host_ = groth16::make_host_device({.threads = threads});
    if (settings_.name.empty()) settings_.name = default_name(device_->info().name);
    if (settings_.arena.empty()) settings_.arena = "/dev/shm/penstock-" + settings_.name + ".arena";
    log_ = PENSTOCK_TRY(runtime::make_logger(settings_.name, settings_.log_level, settings_.log_format));
    return {};
  }

  // One service a GPU; the host device may serve several, each with an arena of its own.
  Status lock_device() {
    const auto visible = cuda::visible_devices();
    if (!visible || settings_.device == "cpu") return {};
    for (const auto& device : *visible) {
      const bool chosen = settings_.device == "cuda:" + std::to_string(device.ordinal) ||
                          (settings_.device == "auto" && &device == &visible->front());
      if (!chosen) continue;
      const std::string path = "/dev/shm/penstock-" + std::to_string(getuid()) + "-" + device.uuid + ".lock";
      uuid_ = device.uuid;
      device_lock_.emplace(PENSTOCK_TRY(wire::OwnerLock::take(path, "device " + device.uuid)));
    }
    return {};
  }

  Status open_core() {
    const auto build = runtime::build_info();
    metrics_ = std::make_unique<telemetry::Metrics>(telemetry::Service::gpu, build.version, build.commit,
                                                    build.cuda);
    PENSTOCK_TRY(runtime::check_in_memory(settings_.arena));
    open_sampler();
    arena_ = PENSTOCK_TRY(wire::ArenaFile::create(settings_.arena, settings_.arena_bytes));
    PENSTOCK_TRY(device_->pin_memory(arena_->memory()));
    loader_ = std::make_unique<KeyCircuitLoader>(
        KeyLoaderOptions{.circuits = settings_.circuits,
                         .key_cache = settings_.key_cache,
                         .threads = static_cast<int>(settings_.threads),
                         .allow_insecure_keys = settings_.allow_insecure_keys},
        *device_);
    second_opinion_ = std::make_unique<HostOpinion>(host_ ? *host_ : *device_, blinding_);
    const CoreOptions options{.lanes = static_cast<int>(settings_.lanes),
                              .quarantine_after = static_cast<int>(settings_.quarantine_after),
                              .residency = {.budget_bytes = settings_.circuit_memory,
                                            .allow_insecure_keys = settings_.allow_insecure_keys},
                              .staging = {.arena_path = settings_.arena,
                                          .lease_valid = settings_.lease_valid,
                                          .circuit_wait = settings_.circuit_wait,
                                          .device = device_->info().name,
                                          .chunks = {.worker_bytes = settings_.remote_window / 4,
                                                     .total_bytes = settings_.remote_window}}};
    core_ = PENSTOCK_TRY(GpuCore::create(
        options,
        CoreParts{.device = *device_,
                  .second_opinion = *second_opinion_,
                  .blinding = blinding_,
                  .load = [this](const wire::CircuitRef& ref) { return load(ref); },
                  .metrics = *metrics_,
                  .clock = clock_,
                  .arena = arena_->memory(),
                  .observed = [this](const FinishedPartition& finished) { write_log(finished); }},
        Outbox{.to_worker = [this](const wire::PeerId& peer,
                                   const wire::Message& message) { send_to_worker(peer, message); },
               .to_queue = [this](const wire::Message& message) { send_to_queue(message); },
               .post = [this](std::function<void()> work) { loop_.post(std::move(work)); }}));
    return {};
  }

  // Proving does without it: a driver that does not tell is no fault.
  void open_sampler() {
    if (!uuid_) return;
    auto monitor = cuda::make_device_monitor(*uuid_);
    if (!monitor) return log_->warn("{}", to_string(monitor.error()));
    sampler_ = std::make_unique<DeviceSampler>(std::move(monitor).value(), *metrics_, device_->info().name);
  }

  Status open_sockets() {
    security_ = PENSTOCK_TRY(runtime::open_security(
        {.key = settings_.curve_key, .clients = settings_.curve_clients, .queue_key = settings_.queue_key}));
    if (security_.loop) loop_.secure(*security_.loop);
    turned_away_.emplace(clock_, metrics_.get(), [this](const std::string& what) { log_->warn("{}", what); });
    loop_.on_turned_away([this](const auto& one) { turned_away_->note(one); });
    router_ = PENSTOCK_TRY(loop_.bind_router(
        split_list(settings_.bind),
        [this](const wire::PeerId& peer, const wire::Message& message) { core_->from_worker(peer, message); },
        [this](const wire::PeerId& peer, const wire::StageChunk& chunk, std::span<const std::byte> bytes) {
          core_->chunk_from_worker(peer, chunk, bytes);
        }));
    link_ = std::make_unique<runtime::QueueLink>(
        loop_, clock_, runtime::QueueAddress{settings_.queue, security_.queue_key},
        runtime::QueueLinkHandlers{.hello = [this] { return hello(); },
                                   .heartbeat = [this] { return heartbeat(); },
                                   .received = [this](wire::Message message) { from_queue(message); },
                                   .say = [this](const std::string& what) { log_->warn("{}", what); }});
    loop_.every(tick_interval, [this] { tick(); });
    return {};
  }

  Status open_health() {
    health_.add("device", [this]() -> Status {
      if (auto fault = core_->fault()) return *std::move(fault);
      return {};
    });
    health_.add("circuits", [this]() -> Status {
      if (!loading_circuit_) return {};
      return Error{.code = ErrorCode::overloaded, .what = "a circuit is being loaded"};
    });
    health_.add("queue", [this]() -> Status {
      if (queue_up_) return {};
      return Error{.code = ErrorCode::not_found, .what = "the queue does not answer at " + settings_.queue};
    });
    health_.add("not_draining", [this]() -> Status {
      if (!draining_) return {};
      return Error{.code = ErrorCode::draining, .what = "the service is draining"};
    });
    metrics_->on_scrape([this] { core_->refresh_ledger(); });
    server_ = PENSTOCK_TRY(runtime::start_observability(settings_.metrics, health_, *metrics_));
    metrics_address_ = host_part(settings_.metrics) + ":" + std::to_string(server_->port());
    PENSTOCK_TRY(link_->start());
    announcement_.emplace(
        PENSTOCK_TRY(runtime::Announcement::publish(settings_.run, {.name = settings_.name,
                                                                    .kind = "gpu",
                                                                    .incarnation = incarnation_.text(),
                                                                    .version = runtime::build_info().version,
                                                                    .metrics = metrics_address_,
                                                                    .http = {},
                                                                    .endpoints = router_->endpoints()})));
    return {};
  }

  Result<std::shared_ptr<const LoadedCircuit>> load(const wire::CircuitRef& ref) {
    log_->info("loading circuit {} ({})", ref.name, ref.id.text().substr(0, 12));
    auto loaded = loader_->load(ref);
    if (loaded)
      log_->info("circuit {} is resident: {} MiB", ref.name, (*loaded)->resident->device_bytes() >> 20);
    else
      log_->error("circuit {}: {}", ref.name, to_string(loaded.error()));
    return loaded;
  }

  void write_log(const FinishedPartition& finished) {
    const auto& ref = finished.partition->ref;
    if (finished.error)
      log_->warn("job {} partition {} attempt {}: {}", ref.job.text(), ref.index, ref.attempt,
                 to_string(*finished.error));
    if (finished.device_erred)
      log_->error("the device's proof of job {} partition {} was wrong; the host's is used", ref.job.text(),
                  ref.index);
    if (finished.error || !log_->should_log(spdlog::level::debug)) return;
    std::string phases;
    finished.partition->phases.for_each([&](Phase phase, telemetry::Duration spent) {
      phases += fmt::format(" {}={:.6f}", name(phase), Seconds(spent).count());
    });
    log_->debug("job {} partition {} attempt {} proved:{}", ref.job.text(), ref.index, ref.attempt, phases);
  }

  void send_to_worker(const wire::PeerId& peer, const wire::Message& message) {
    // A worker that is gone asks again under a new lease; this one expires.
    if (const Status sent = router_->send(peer, message); !sent)
      log_->debug("{}: {}", peer, to_string(sent.error()));
  }

  void send_to_queue(const wire::Message& message) {
    // Results are kept and sent again after the next Welcome; the rest is worth nothing by then.
    if (!link_) return;
    if (const Status sent = link_->send(message); !sent)
      log_->debug("to the queue: {}", to_string(sent.error()));
  }

  wire::Hello hello() const {
    wire::Hello hello;
    hello.kind = wire::WorkerKind::gpu;
    hello.name = WorkerName(settings_.name);
    hello.incarnation = incarnation_;
    hello.version = runtime::build_info().version;
    hello.pid = getpid();
    hello.host_id = wire::host_id();
    hello.credits = draining_ ? 0 : credits();
    hello.metrics_address = metrics_address_;
    hello.data_endpoints =
        settings_.advertise.empty() ? router_->endpoints() : split_list(settings_.advertise);
    hello.device = device_->info().name;
    hello.arena_bytes = settings_.arena_bytes;
    hello.allow_insecure_keys = settings_.allow_insecure_keys;
    hello.curve_key = security_.public_key();
    return hello;
  }

  // Each lane has one partition in hand and one waiting.
  std::uint32_t credits() const { return 2 * static_cast<std::uint32_t>(settings_.lanes); }

  wire::Heartbeat heartbeat() {
    wire::Heartbeat heartbeat;
    heartbeat.incarnation = incarnation_;
    heartbeat.in_flight = core_->staging().in_flight();
    const auto held = static_cast<std::uint32_t>(core_->staging().held());
    heartbeat.credits_free = draining_ || held >= credits() ? 0 : credits() - held;
    return heartbeat;
  }

  void from_queue(const wire::Message& message) {
    if (std::holds_alternative<wire::Welcome>(message))
      log_->info("welcomed by the queue at {}", settings_.queue);
    if (std::holds_alternative<wire::Drain>(message)) return begin_drain("the queue");
    core_->from_queue(message);
  }

  void begin_drain(std::string_view by) {
    if (draining_.exchange(true)) return;
    log_->info("draining, asked by {}: {}", by, core_->staging().summary());
    core_->begin_drain();
    drain_until_ = clock_.steady_now() + settings_.drain_timeout;
    link_->say_hello();  // with no credits: nothing more is routed here
  }

  // Without its file the arena is out of every worker's reach: what is staged is proved, then the service
  // ends so that it is started again with a new one.
  void look_for_arena() {
    if (arena_error_ || arena_->is_in_place()) return;
    arena_error_ = Error{.code = ErrorCode::device_unavailable,
                         .what = "the arena's file was removed or replaced",
                         .hint = "the service ends and is started again with a new one",
                         .file = settings_.arena};
    log_->critical("{}", to_string(*arena_error_));
    begin_drain("the arena's end");
  }

  void tick() {
    core_->tick();
    queue_up_ = link_ && link_->up();
    loading_circuit_ = core_->loading_circuit();
    look_for_arena();
    if (const auto fault = core_->fault(); fault && !draining_) {
      log_->critical("{}", to_string(*fault));
      begin_drain("a fault");
    }
    if (!draining_ || leaving_) return;
    const bool late = clock_.steady_now() > drain_until_;
    if (!core_->drained() && !late) return;
    leaving_ = true;
    if (late)
      log_->warn("not everything could be finished in time, the queue gives it to another: {}",
                 core_->staging().summary());
    else
      log_->info("drained");
    send_to_queue(wire::Goodbye{incarnation_});
    loop_.after(farewell, [this] { core_->quarantined() && !asked_to_end_ ? park() : loop_.stop(); });
  }

  // Whatever keeps services alive would start this one again, and the device would err again: the process
  // stays, known to no queue and not ready, until a person ends it.
  void park() {
    log_->critical("this service stays idle until it is ended; look at the device first");
    parked_ = true;
    link_.reset();
  }

  Settings settings_;
  Incarnation incarnation_;
  SystemClock clock_;
  std::shared_ptr<spdlog::logger> log_;
  wire::MessageLoop loop_;
  groth16::OsBlindingSource blinding_;
  std::optional<wire::OwnerLock> device_lock_;
  std::unique_ptr<wire::ArenaFile> arena_;  // pinned by the device: dies after it
  std::optional<Error> arena_error_;
  std::unique_ptr<groth16::ProvingDevice> device_, host_;
  std::optional<std::string> uuid_;  ///< of a GPU
  std::unique_ptr<telemetry::Metrics> metrics_;
  std::unique_ptr<DeviceSampler> sampler_;
  std::unique_ptr<KeyCircuitLoader> loader_;
  std::unique_ptr<SecondOpinion> second_opinion_;
  std::unique_ptr<GpuCore> core_;
  runtime::Security security_;
  std::optional<runtime::TurnedAwayLog> turned_away_;
  wire::RouterSocket* router_ = nullptr;
  std::unique_ptr<runtime::QueueLink> link_;
  std::string metrics_address_;
  std::atomic<bool> queue_up_ = false, draining_ = false, loading_circuit_ = false;
  bool leaving_ = false, asked_to_end_ = false, parked_ = false;
  SteadyTime drain_until_{};
  runtime::Health health_;
  std::unique_ptr<runtime::HttpServer> server_;
  std::optional<runtime::Announcement> announcement_;
};

}  // namespace

Result<std::unique_ptr<Service>> Service::start(const Settings& settings) {
  auto service = std::make_unique<RunningService>(settings);
  PENSTOCK_TRY(service->open());
  return std::unique_ptr<Service>(std::move(service));
}

}  // namespace penstock::gpu
