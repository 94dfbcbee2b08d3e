#include "common/runtime/security.hpp"

namespace penstock::runtime {
namespace {

Error incomplete(const char* what, const char* hint) {
  return {.code = ErrorCode::bad_request, .what = what, .hint = hint};
}

}  // namespace

Result<Security> open_security(const SecuritySettings& settings) {
  Security security;
  if (settings.key.empty()) {
    if (!settings.clients.empty() || !settings.queue_key.empty())
      return incomplete("CURVE keys of others are given and none of its own",
                        "set curve_key to the NAME.key of penstock keygen");
    return security;
  }
  if (settings.serves && settings.clients.empty())
    return incomplete("curve_key is set and nobody is named who may connect",
                      "set curve_clients to the folder of their .pub files");
  if (settings.has_queue && settings.queue_key.empty())
    return incomplete("curve_key is set and the queue's key is not",
                      "set queue_key to the queue's .pub file");
  security.loop.emplace();
  security.loop->keys = PENSTOCK_TRY(wire::read_curve_keys(settings.key));
  if (settings.serves) security.loop->clients = PENSTOCK_TRY(wire::read_curve_clients(settings.clients));
  if (settings.has_queue) security.queue_key = PENSTOCK_TRY(wire::read_curve_public(settings.queue_key));
  return security;
}

}  // namespace penstock::runtime
