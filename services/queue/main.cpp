// penstock-queue: the work queue. Exit 0 = drained, 1 = refused or invalid, 2 = usage, 3 = internal.
#include <spdlog/logger.h>
#include <sys/stat.h>

#include <cstdio>
#include <exception>
#include <future>
#include <optional>

#include "common/runtime/lifecycle.hpp"
#include "common/runtime/log.hpp"
#include "services/queue/service.hpp"

namespace {

using namespace penstock;

int refuse(const Error& error) {
  std::fprintf(stderr, "penstock-queue: %s\n", to_string(error).c_str());
  return exit_status(error.code);
}

/// The service for the signals' thread: a signal during the start waits for it, one after a failed start does
/// not.
class StartedService {
 public:
  StartedService() = default;
  StartedService(const StartedService&) = delete;
  StartedService& operator=(const StartedService&) = delete;
  ~StartedService() {
    if (!set_) promise_.set_value(nullptr);
  }
  void set(queue::QueueService* service) {
    set_ = true;
    promise_.set_value(service);
  }
  [[nodiscard]] std::shared_future<queue::QueueService*> future() { return promise_.get_future().share(); }

 private:
  std::promise<queue::QueueService*> promise_;
  bool set_ = false;
};

int run(int argc, char** argv, StartedService& started) {
  queue::Settings settings;
  runtime::ConfigReader reader;
  declare(reader, settings);
  const auto proceed =
      reader.read("penstock-queue", "Penstock's work queue: HTTP API, ledger, routing", argc, argv);
  if (!proceed.ok()) return refuse(proceed.error());
  if (!*proceed) return 0;
  const auto log = runtime::make_logger(settings.name, settings.log_level, settings.log_format);
  if (!log.ok()) return refuse(log.error());
  const SystemClock clock;
  auto service = queue::QueueService::start(settings, {wire::MessageLoop::make_context(), clock, **log});
  if (!service.ok()) return refuse(service.error());
  started.set(service->get());
  (*service)->run();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  ::umask(077);  // the ledger, inputs and circuits are nobody else's
  std::optional<StartedService> started(std::in_place);
  const runtime::SignalWatcher signals([running = started->future()] {
    if (queue::QueueService* service = running.get()) service->drain();
  });
  int status = 3;
  try {
    status = run(argc, argv, *started);
  } catch (const std::exception& defect) {
    std::fprintf(stderr, "penstock-queue: error[internal] %s\n", defect.what());
  }
  started.reset();  // before the watcher, which may wait for it
  return status;
}
