// penstock-queue: the work queue. Exit 0 = drained, 1 = refused or invalid, 2 = usage, 3 = internal.
#include <spdlog/logger.h>
#include <sys/stat.h>

#include <cstdio>
#include <exception>

#include "common/runtime/drain_request.hpp"
#include "common/runtime/lifecycle.hpp"
#include "common/runtime/log.hpp"
#include "common/runtime/process.hpp"
#include "services/queue/service.hpp"

namespace {

using namespace penstock;

int refuse(const Error& error) {
  std::fprintf(stderr, "penstock-queue: %s\n", to_string(error).c_str());
  return exit_status(error.code);
}

int run(int argc, char** argv, runtime::DrainRequest& drain) {
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
  drain.arm([&] { (*service)->drain(); });
  (*service)->run();
  drain.arm({});
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  ::umask(077);  // the ledger, inputs and circuits are nobody else's
  runtime::forbid_core_dumps();
  runtime::DrainRequest drain;
  const runtime::SignalWatcher signals([&] { drain.fire(); });
  try {
    return run(argc, argv, drain);
  } catch (const std::exception& defect) {
    std::fprintf(stderr, "penstock-queue: error[internal] %s\n", defect.what());
    return 3;
  }
}
