// The HTTP API: who may ask, which route it is, what the request says. The work is done behind the desks.
// Shape: a table of routes; handlers parse and hand on, they never block.
// Ownership: borrows everything. Threads: any of the server's. Errors: answered as {"code","message","hint"}.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/runtime/health.hpp"
#include "services/queue/api_keys.hpp"
#include "services/queue/circuit_desk.hpp"
#include "services/queue/job_desk.hpp"

namespace penstock::queue {

class HttpApi {
 public:
  struct Parts {
    JobDesk& jobs;
    CircuitDesk& circuits;
    /// Answers GET /v1/status.
    std::function<void(ResponderPtr)> status;
    const ApiKeys& keys;
    const runtime::Health& health;
    telemetry::Metrics& metrics;
    const Answers& answers;
    const Clock& clock;
    IntakeBudget& intake;               ///< for the bodies of jobs and circuits
    std::size_t max_partitions = 1024;  ///< of one job
  };
  explicit HttpApi(const Parts& parts) : parts_(parts) {}

  void handle(runtime::HttpRequest request, const ResponderPtr& responder) const;
  /// Who may not ask is told so by the head alone: no body is read for it, whatever the path.
  [[nodiscard]] std::optional<runtime::HttpResponse> admit(const runtime::HttpRequest& head) const;

 private:
  using Names = std::span<const std::string_view>;  ///< the path's variable components
  using Handler = void (HttpApi::*)(runtime::HttpRequest&, Names, const ResponderPtr&) const;
  struct Route {
    std::string_view method;
    std::vector<std::string_view> path;  ///< "{}" is a variable component
    Handler handler;
    std::vector<std::string_view> query = {};  ///< the parameters it understands; others are refused
  };
  [[nodiscard]] static const std::vector<Route>& routes();
  [[nodiscard]] Status authorize(const runtime::HttpRequest& request) const;
  void route(runtime::HttpRequest& request, const ResponderPtr& responder) const;

  void submit_job(runtime::HttpRequest& request, Names names, const ResponderPtr& responder) const;
  void list_jobs(runtime::HttpRequest& request, Names names, const ResponderPtr& responder) const;
  void get_job(runtime::HttpRequest& request, Names names, const ResponderPtr& responder) const;
  void cancel_job(runtime::HttpRequest& request, Names names, const ResponderPtr& responder) const;
  void job_events(runtime::HttpRequest& request, Names names, const ResponderPtr& responder) const;
  void list_circuits(runtime::HttpRequest& request, Names names, const ResponderPtr& responder) const;
  void get_circuit(runtime::HttpRequest& request, Names names, const ResponderPtr& responder) const;
  void put_circuit(runtime::HttpRequest& request, Names names, const ResponderPtr& responder) const;
  void remove_circuit(runtime::HttpRequest& request, Names names, const ResponderPtr& responder) const;
  void preload_circuit(runtime::HttpRequest& request, Names names, const ResponderPtr& responder) const;
  void evict_circuit(runtime::HttpRequest& request, Names names, const ResponderPtr& responder) const;
  void get_status(runtime::HttpRequest& request, Names names, const ResponderPtr& responder) const;
  void get_openapi(runtime::HttpRequest& request, Names names, const ResponderPtr& responder) const;

  Parts parts_;
};

/// openapi.json as it was at build time.
[[nodiscard]] std::string_view openapi_document();

}  // namespace penstock::queue
