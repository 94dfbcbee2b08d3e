// penstock-synthesis: turns inputs into witnesses and stages them. Exit status: 0 drained, 1 refused, 2
// usage, 3 internal.
#include <sys/stat.h>

#include <cstdio>
#include <exception>

#include "common/runtime/config.hpp"
#include "common/runtime/drain_request.hpp"
#include "common/runtime/lifecycle.hpp"
#include "common/runtime/process.hpp"
#include "services/synthesis/service.hpp"

namespace {

int fail(const penstock::Error& error) {
  std::fprintf(stderr, "penstock-synthesis: %s\n", to_string(error).c_str());
  return penstock::exit_status(error.code);
}

}  // namespace

int main(int argc, char** argv) {
  ::umask(077);  // the cache of compiled programs is nobody else's
  penstock::runtime::forbid_core_dumps();
  penstock::runtime::DrainRequest drain;
  penstock::runtime::SignalWatcher signals([&drain] { drain.fire(); });
  penstock::synthesis::Settings settings;
  penstock::runtime::ConfigReader reader;
  penstock::synthesis::declare(reader, settings);
  const auto go =
      reader.read("penstock-synthesis", "Computes witnesses and stages them for GPU services.", argc, argv);
  if (!go) return fail(go.error());
  if (!*go) return 0;
  try {
    auto service = penstock::synthesis::Service::start(settings);
    if (!service) return fail(service.error());
    drain.arm([&service] { (*service)->drain(); });
    (*service)->run();
    drain.arm({});
    return 0;
  } catch (const std::exception& defect) {
    return fail({.code = penstock::ErrorCode::internal, .what = defect.what()});
  }
}
