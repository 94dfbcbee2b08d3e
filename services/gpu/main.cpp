// penstock-gpu: owns one device. Exit status: 0 drained, 1 refused, 2 usage, 3 the device is lost, or it
// was quarantined and somebody ended the service.
#include <sys/stat.h>

#include <cstdio>
#include <exception>

#include "common/runtime/config.hpp"
#include "common/runtime/drain_request.hpp"
#include "common/runtime/lifecycle.hpp"
#include "common/runtime/process.hpp"
#include "services/gpu/service.hpp"

namespace {

int fail(const penstock::Error& error) {
  std::fprintf(stderr, "penstock-gpu: %s\n", to_string(error).c_str());
  return penstock::exit_status(error.code);
}

}  // namespace

int main(int argc, char** argv) {
  umask(077);  // the arena and the sockets are nobody else's
  penstock::runtime::forbid_core_dumps();
  penstock::runtime::DrainRequest drain;
  penstock::runtime::SignalWatcher signals([&drain] { drain.fire(); });
  penstock::gpu::Settings settings;
  penstock::runtime::ConfigReader reader;
  penstock::gpu::declare(reader, settings);
  const auto go =
      reader.read("penstock-gpu", "Owns one device: proves what synthesis workers stage.", argc, argv);
  if (!go) return fail(go.error());
  if (!*go) return 0;
  try {
    auto service = penstock::gpu::Service::start(settings);
    if (!service) return fail(service.error());
    drain.arm([&service] { (*service)->drain(); });
    const auto ended = (*service)->run();
    drain.arm({});
    return ended.ok() ? 0 : fail(ended.error());
  } catch (const std::exception& defect) {
    return fail({.code = penstock::ErrorCode::internal, .what = defect.what()});
  }
}
