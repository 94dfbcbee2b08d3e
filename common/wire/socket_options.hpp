// The options of every ZeroMQ socket of ours, and what an address must look like. Included by .cpp files
// only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <zmq.hpp>

#include "common/base/result.hpp"

namespace penstock::wire {

/// Messages queued per peer and direction. Flow control is by credits; this bound only catches a peer that
/// stopped.
inline constexpr int queue_length = 256;
inline constexpr int heartbeat_interval_ms = 1000;
inline constexpr int heartbeat_timeout_ms = 5000;  ///< also the TTL told to the peer
inline constexpr int handshake_ms = 5000;
inline constexpr int linger_ms = 250;  ///< a Goodbye still leaves; an absent peer does not hold up the exit
inline constexpr int reconnect_ms = 50, reconnect_most_ms = 1000;

void set_options(zmq::socket_t& socket);
/// Who may connect to a CURVE socket is asked in this domain, and where nobody answers nobody may. Errors:
/// unsupported_version (a ZeroMQ that cannot enforce it).
[[nodiscard]] Status enforce_zap_domain(zmq::socket_t& socket, const std::string& domain);

enum class Transport : std::uint8_t { tcp, ipc, inproc };
/// Errors: bad_request, with what is wrong (no such transport, an ipc path that a unix socket cannot hold).
[[nodiscard]] Result<Transport> transport_of(const std::string& address);
/// Before binding ipc://PATH: conflict when something listens there; a stale file is left for the bind to
/// replace.
[[nodiscard]] Status check_ipc_free(const std::string& address);
/// The file of a bound ipc address: made 0600, and removed by who bound it, for ZeroMQ leaves it behind.
class IpcFile {
 public:
  explicit IpcFile(const std::string& address);
  /// Unless somebody else has bound the path meanwhile.
  void remove() const;

 private:
  std::string path_;  ///< empty: no file
  std::uint64_t inode_ = 0;
};
/// The Error for a failed bind or connect.
[[nodiscard]] Error socket_error(const std::string& address, const zmq::error_t& error);

}  // namespace penstock::wire
