// Health of a process: /healthz (alive), /readyz (JSON with the failing check), /metrics, /version for every
// service.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/runtime/http_server.hpp"
#include "common/telemetry/metrics.hpp"

namespace penstock::runtime {

/// Named checks, evaluated on each /readyz. Threads: add() before serving; checks run on server threads.
class Health {
 public:
  using Check = std::function<Status()>;
  void add(std::string name, Check check);
  /// {"ready": bool, "checks": {"name": {"ok": bool, "code"?, "what"?}}} and whether all hold.
  [[nodiscard]] std::pair<bool, std::string> report() const;

 private:
  std::vector<std::pair<std::string, Check>> checks_;
};

struct BuildInfo {
  std::string version, commit, cuda;
};
[[nodiscard]] BuildInfo build_info();

/// Answers /healthz, /readyz, /metrics, /version; nullopt for any other path.
[[nodiscard]] std::optional<HttpResponse> answer_observability(const HttpRequest& request,
                                                               const Health& health,
                                                               telemetry::Metrics& metrics);
/// A server with only those four, for synthesis and gpu.
[[nodiscard]] Result<std::unique_ptr<HttpServer>> start_observability(const std::string& address_port,
                                                                      const Health& health,
                                                                      telemetry::Metrics& metrics);

}  // namespace penstock::runtime
