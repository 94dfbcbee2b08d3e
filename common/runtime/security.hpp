// A service's CURVE settings, read once: its key, who may connect to it, the key of the queue it talks to.
// Errors: the files' (common/wire/curve.hpp); bad_request when only a part is given.
#pragma once

#include <optional>
#include <string>

#include "common/wire/message_loop.hpp"

namespace penstock::runtime {

struct SecuritySettings {
  std::string key;        ///< NAME.key; empty: plain sockets
  std::string clients;    ///< folder of .pub files; empty where nobody connects
  std::string queue_key;  ///< public key or .pub file; empty for the queue itself
  bool serves = true;     ///< binds sockets: then clients must be named
  bool has_queue = true;  ///< talks to a queue: then its key must be given
};

struct Security {
  std::optional<wire::MessageLoop::Security> loop;  ///< empty: plain
  std::string queue_key;
  [[nodiscard]] std::string public_key() const { return loop ? loop->keys->public_key : std::string(); }
};

[[nodiscard]] Result<Security> open_security(const SecuritySettings& settings);

}  // namespace penstock::runtime
