#include "services/queue/service.hpp"

#include <spdlog/logger.h>

#include <atomic>
#include <optional>
#include <thread>

#include "common/runtime/address.hpp"
#include "common/runtime/announcement.hpp"
#include "common/runtime/security.hpp"
#include "common/runtime/turned_away.hpp"
#include "services/queue/http_api.hpp"
#include "services/queue/json_views.hpp"
#include "services/queue/sqlite_ledger.hpp"

namespace penstock::queue {

namespace {

constexpr std::chrono::milliseconds tick_interval{100};
constexpr std::chrono::minutes purge_interval{10};
constexpr std::uint32_t purge_at_once = 500;
constexpr std::uint64_t least_intake_bytes = std::uint64_t{512} << 20;
constexpr int http_threads = 2;

SchedulerOptions scheduler_options(const Settings& settings, std::uint64_t epoch) {
  SchedulerOptions options;
  options.max_queued_partitions = static_cast<std::uint32_t>(settings.max_queued_partitions);
  options.max_attempts = static_cast<std::uint32_t>(settings.max_attempts);
  options.lease_timeout = settings.lease_timeout;
  options.heartbeat_timeout = settings.heartbeat_timeout;
  // A worker notices a silent queue after the timeout, says Hello, and names what it holds one beat later.
  options.recovery_grace = settings.heartbeat_timeout + 2 * settings.heartbeat_interval;
  options.epoch = epoch;
  return options;
}

}  // namespace

/// The objects in the order of their dependence. Threads are joined in the destructor, before what they use.
struct QueueService::Impl {
  Impl(const Settings& chosen, const Surroundings& around, std::unique_ptr<Ledger> opened,
       std::uint64_t epoch, BlobStore inputs, CircuitStore files, ApiKeys api_keys)
      : settings(chosen),
        clock(around.clock),
        log(around.log),
        build(runtime::build_info()),
        ledger(std::move(opened)),
        blobs(std::move(inputs)),
        store(std::move(files)),
        keys(std::move(api_keys)),
        metrics(telemetry::Service::queue, build.version, build.commit, build.cuda),
        answers(metrics),
        intake_budget(std::max(least_intake_bytes, chosen.max_body)),
        loop(around.context),
        scheduler(clock, scheduler_options(chosen, epoch)),
        sessions(scheduler, registry, log,
                 {.incarnation = incarnation,
                  .heartbeat_interval = chosen.heartbeat_interval,
                  .heartbeat_timeout = chosen.heartbeat_timeout}),
        writer(std::in_place, *ledger),
        reader(std::in_place, "reading", 100'000, on_failure()),
        intake(std::in_place, "intake", 256, on_failure()),
        janitor(std::in_place, "wiping", 100'000, on_failure()),
        registrar(std::in_place, "registration", 16, on_failure()),
        wiper(blobs, *janitor),
        dispatcher({loop, scheduler, sessions, subscriptions, *writer, blobs, *reader, wiper, metrics, log}),
        jobs({loop, scheduler, dispatcher, subscriptions, *ledger, *writer, blobs, registry, *reader, *intake,
              answers, clock, chosen.allow_insecure_keys}),
        circuits({loop, scheduler, sessions, jobs, registry, store, *writer, *registrar, answers, metrics,
                  clock, log}),
        api({jobs, circuits, [this](ResponderPtr responder) { answer_status(std::move(responder)); }, keys,
             health, metrics, answers, clock, intake_budget,
             static_cast<std::size_t>(chosen.max_partitions)}) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    http.reset();
    registrar.reset();
    intake.reset();
    reader.reset();
    janitor.reset();
    writer.reset();
  }

  BackgroundThread::OnFailure on_failure() {
    return [this](const std::string& what) { log.critical("{}", what); };
  }
  Status open();
  Status recover();
  Status listen();
  void start_timers();
  void tick();
  void drain_step();
  void purge();
  void answer_status(ResponderPtr responder);

  Settings settings;
  const Clock& clock;
  spdlog::logger& log;
  runtime::BuildInfo build;
  Incarnation incarnation{random_uuid()};
  SteadyTime started = std::chrono::steady_clock::now();
  std::unique_ptr<Ledger> ledger;
  BlobStore blobs;
  CircuitStore store;
  ApiKeys keys;
  telemetry::Metrics metrics;
  Answers answers;
  IntakeBudget intake_budget;
  runtime::Health health;
  CircuitRegistry registry;
  wire::MessageLoop loop;
  Scheduler scheduler;
  Subscriptions subscriptions;
  WorkerSessions sessions;
  runtime::TurnedAwayLog turned_away{clock, &metrics,
                                     [this](const std::string& what) { log.warn("{}", what); }};
  std::optional<LedgerWriter> writer;
  std::optional<BackgroundThread> reader, intake, janitor, registrar;
  InputWiper wiper;
  Dispatcher dispatcher;
  JobDesk jobs;
  CircuitDesk circuits;
  HttpApi api;
  std::unique_ptr<runtime::HttpServer> http;
  std::optional<runtime::Announcement> announcement;
  std::atomic<bool> draining{false};
  SteadyTime drain_until{};
};

// ---- building ----

Result<std::unique_ptr<QueueService>> QueueService::start(const Settings& settings,
                                                          const Surroundings& surroundings) {
  PENSTOCK_TRY(check(settings));
  auto keys = PENSTOCK_TRY(ApiKeys::parse(settings.api_key));
  const std::filesystem::path data = settings.data;
  auto ledger = PENSTOCK_TRY(
      open_ledger(settings.ledger.empty() ? (data / "ledger.sqlite").string() : settings.ledger));
  const auto epoch = PENSTOCK_TRY(ledger->start_epoch());
  auto blobs = PENSTOCK_TRY(BlobStore::open(data / "blobs"));
  const auto cores = std::max(1U, std::thread::hardware_concurrency());
  auto store = PENSTOCK_TRY(CircuitStore::open({.folder = settings.circuits,
                                                .import_folder = settings.import,
                                                .allow_insecure_keys = settings.allow_insecure_keys,
                                                .threads = static_cast<int>(cores)}));
  auto impl = std::make_unique<Impl>(settings, surroundings, std::move(ledger), epoch, std::move(blobs),
                                     std::move(store), std::move(keys));
  PENSTOCK_TRY(impl->open());
  return std::unique_ptr<QueueService>(new QueueService(std::move(impl)));
}

Status QueueService::Impl::open() {
  PENSTOCK_TRY(recover());
  health.add("ledger", [this]() -> Status {
    if (writer->healthy()) return {};
    return Error{.code = ErrorCode::file_unwritable, .what = "the ledger's disk refuses to write"};
  });
  health.add("accepting", [this]() -> Status {
    if (!draining) return {};
    return Error{.code = ErrorCode::draining, .what = "the queue is shutting down"};
  });
  const auto security = PENSTOCK_TRY(runtime::open_security(
      {.key = settings.curve_key, .clients = settings.curve_clients, .queue_key = {}, .has_queue = false}));
  if (security.loop) loop.secure(*security.loop);
  loop.on_turned_away([this](const auto& one) { turned_away.note(one); });
  PENSTOCK_TRY(sessions.bind(loop, split_list(settings.bind), [this] { dispatcher.pump(); }));
  PENSTOCK_TRY(listen());
  start_timers();
  return {};
}

Status QueueService::Impl::recover() {
  for (const CircuitRecord& circuit : PENSTOCK_TRY(ledger->circuits())) {
    if (!store.holds(circuit.ref.id)) {
      log.error("circuit {} is registered, but its files are gone: register it again", circuit.ref.name);
      continue;
    }
    registry.insert(circuit);
    expect_results(metrics, circuit.ref.name);
  }
  std::set<std::string> keep;
  const auto unfinished = PENSTOCK_TRY(ledger->unfinished());
  for (const JobRecord& job : unfinished) {
    const auto circuit = registry.find(job.circuit_id);
    wire::CircuitRef ref;
    ref.id = job.circuit_id;
    scheduler.add(job, circuit ? circuit->ref : ref, {});
    if (!circuit) scheduler.fail(job.id, no_such_circuit(job.circuit));
    for (const PartitionRecord& partition : job.partitions)
      if (!is_finished(partition.state)) keep.insert(BlobStore::name_of(job.id, partition.index));
  }
  const std::size_t removed = blobs.remove_all_but(keep);
  if (!unfinished.empty() || removed > 0)
    log.info("recovered {} unfinished jobs; {} inputs that nobody needs any more are wiped",
             unfinished.size(), removed);
  return {};
}

Status QueueService::Impl::listen() {
  const auto address = PENSTOCK_TRY(runtime::parse_address_port(settings.http));
  runtime::HttpServerOptions options;
  options.address = address.address;
  options.port = address.port;
  options.threads = http_threads;
  options.max_body_bytes = settings.max_body;
  http = PENSTOCK_TRY(runtime::HttpServer::start(
      options,
      [this](runtime::HttpRequest request, const ResponderPtr& responder) {
        api.handle(std::move(request), responder);
      },
      [this](const runtime::HttpRequest& head) { return api.admit(head); }));
  const bool is_v6 = address.address.find(':') != std::string::npos;
  const std::string host = is_v6 ? "[" + address.address + "]" : address.address;
  const std::string bound = host + ":" + std::to_string(http->port());
  announcement.emplace(
      PENSTOCK_TRY(runtime::Announcement::publish(settings.run, {.name = settings.name,
                                                                 .kind = "queue",
                                                                 .incarnation = incarnation.text(),
                                                                 .version = build.version,
                                                                 .metrics = bound,
                                                                 .http = bound,
                                                                 .endpoints = sessions.endpoints()})));
  std::string addresses;
  for (const std::string& endpoint : sessions.endpoints()) addresses += " " + endpoint;
  log.info("version {}: HTTP on {}, workers on{}", build.version, bound, addresses);
  return {};
}

// ---- running ----

void QueueService::Impl::start_timers() {
  loop.every(tick_interval, [this] { tick(); });
  loop.every(settings.heartbeat_interval, [this] { sessions.beat(); });
  if (settings.keep_finished.count() > 0) loop.every(purge_interval, [this] { purge(); });
  loop.post([this] { dispatcher.pump(); });  // what recovery has decided
}

void QueueService::Impl::tick() {
  scheduler.tick();
  dispatcher.pump();
  dispatcher.refresh_gauges();
  answers.set_retry_after(scheduler.retry_after());
  jobs.tick();
  if (draining) drain_step();
}

void QueueService::Impl::purge() {
  const WallMillis before = to_millis(clock.wall_now()) - settings.keep_finished;
  writer->run([this, before](Ledger& open) {
    const auto purged = open.purge(before, purge_at_once);
    if (!purged.ok()) return log.warn("finished jobs cannot be forgotten: {}", to_string(purged.error()));
    if (*purged == purge_at_once) loop.post([this] { purge(); });  // in steps: commits come in between
  });
}

void QueueService::Impl::drain_step() {
  const bool late = clock.steady_now() >= drain_until;
  if (!late && (!scheduler.idle() || jobs.admitting())) return;
  if (late) log.warn("the drain timeout is over: what is leased will be taken up again after the next start");
  jobs.close();
  loop.stop();
}

void QueueService::Impl::answer_status(ResponderPtr responder) {
  loop.post([this, responder = std::move(responder)] {
    const SteadyTime now = clock.steady_now();
    const QueueFacts facts{.name = settings.name,
                           .version = build.version,
                           .incarnation = incarnation.text(),
                           .draining = draining,
                           .uptime_seconds = Seconds(std::chrono::steady_clock::now() - started).count(),
                           .circuits = registry.size()};
    responder->send(
        {.status = 200, .body = status_json(facts, scheduler.status(), scheduler.workers(), now)});
  });
}

QueueService::QueueService(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
QueueService::~QueueService() = default;

void QueueService::run() {
  impl_->loop.run();
  impl_->http->stop();
  impl_->log.info("stopped");
}

void QueueService::drain() {
  impl_->loop.post([impl = impl_.get()] {
    if (impl->draining.exchange(true)) return;
    impl->log.info("draining: no new jobs; waiting for leased partitions");
    impl->drain_until = impl->clock.steady_now() + impl->settings.drain_timeout;
    impl->jobs.drain();
    impl->scheduler.drain();
  });
}

void QueueService::abort() {
  impl_->loop.stop();
}

std::uint16_t QueueService::http_port() const {
  return impl_->http->port();
}
const std::vector<std::string>& QueueService::endpoints() const {
  return impl_->sessions.endpoints();
}

}  // namespace penstock::queue
