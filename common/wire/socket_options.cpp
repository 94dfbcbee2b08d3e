#include "common/wire/socket_options.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "common/wire/codec.hpp"

namespace penstock::wire {
namespace {

constexpr std::string_view ipc_prefix = "ipc://";
constexpr std::size_t longest_path = sizeof(sockaddr_un::sun_path) - 1;

/// ZeroMQ itself would take port 99999 modulo 65536.
bool has_port(std::string_view address) {
  const std::size_t colon = address.rfind(':');
  if (colon <= std::string_view("tcp:").size()) return false;
  const std::string_view port = address.substr(colon + 1);
  if (port == "*") return true;
  unsigned number = 0;
  const auto parsed = std::from_chars(port.data(), port.data() + port.size(), number);
  return parsed.ec == std::errc{} && parsed.ptr == port.data() + port.size() && number <= 65535;
}

bool is_file(std::string_view path) {
  return !path.empty() && path != "*" && path.front() != '@';
}

bool answers(const std::string& path) {
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0) return false;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const bool connected = ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  const bool backlog_full = !connected && errno == EAGAIN;
  ::close(probe);
  return connected || backlog_full;
}

}  // namespace

void set_options(zmq::socket_t& socket) {
  socket.set(zmq::sockopt::immediate, true);
  socket.set(zmq::sockopt::sndhwm, queue_length);
  socket.set(zmq::sockopt::rcvhwm, queue_length);
  socket.set(zmq::sockopt::heartbeat_ivl, heartbeat_interval_ms);
  socket.set(zmq::sockopt::heartbeat_timeout, heartbeat_timeout_ms);
  socket.set(zmq::sockopt::heartbeat_ttl, heartbeat_timeout_ms);
  socket.set(zmq::sockopt::handshake_ivl, handshake_ms);
  socket.set(zmq::sockopt::connect_timeout, handshake_ms);
  socket.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(max_message_bytes));
  socket.set(zmq::sockopt::linger, linger_ms);
  socket.set(zmq::sockopt::reconnect_ivl, reconnect_ms);
  socket.set(zmq::sockopt::reconnect_ivl_max, reconnect_most_ms);
}

Status enforce_zap_domain(zmq::socket_t& socket, const std::string& domain) {
  constexpr int zap_enforce_domain = 93;  // ZMQ_ZAP_ENFORCE_DOMAIN: zmq.h hides it as a draft
  const int on = 1;
  int set = 0;
  std::size_t size = sizeof set;
  socket.set(zmq::sockopt::zap_domain, domain);
  if (zmq_setsockopt(socket.handle(), zap_enforce_domain, &on, sizeof on) == 0 &&
      zmq_getsockopt(socket.handle(), zap_enforce_domain, &set, &size) == 0 && set == 1)
    return {};
  return Error{.code = ErrorCode::unsupported_version,
               .what = "this ZeroMQ cannot enforce who may connect",
               .hint = "use libzmq 4.3 or newer"};
}

Result<Transport> transport_of(const std::string& address) {
  if (address.starts_with("tcp://") && has_port(address)) return Transport::tcp;
  if (address.starts_with("inproc://") && address.size() > 9) return Transport::inproc;
  if (address.starts_with(ipc_prefix) && address.size() > ipc_prefix.size()) {
    const std::size_t length = address.size() - ipc_prefix.size();
    if (length <= longest_path) return Transport::ipc;
    return Error{.code = ErrorCode::bad_request,
                 .what = "the ipc path of '" + address + "' has " + std::to_string(length) +
                         " bytes, a unix socket holds " + std::to_string(longest_path),
                 .hint = "choose a shorter data or run folder"};
  }
  return Error{.code = ErrorCode::bad_request,
               .what = "'" + address + "' is not an address",
               .hint = "use tcp://HOST:PORT, ipc://PATH or inproc://NAME"};
}

Status check_ipc_free(const std::string& address) {
  const std::string path = address.substr(ipc_prefix.size());
  if (!is_file(path)) return {};
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return {};
  if (!S_ISSOCK(info.st_mode))
    return Error{.code = ErrorCode::conflict,
                 .what = "'" + path + "' exists and is not a socket",
                 .hint = "move it away"};
  if (answers(path))
    return Error{.code = ErrorCode::conflict,
                 .what = "another process listens on " + address,
                 .hint = "stop it, or choose another address"};
  return {};
}

IpcFile::IpcFile(const std::string& address) {
  const std::string path = address.substr(ipc_prefix.size());
  struct stat info {};
  if (!is_file(path) || ::lstat(path.c_str(), &info) != 0) return;
  path_ = path;
  inode_ = info.st_ino;
  static_cast<void>(::chmod(path_.c_str(), S_IRUSR | S_IWUSR));
}

void IpcFile::remove() const {
  struct stat info {};
  if (!path_.empty() && ::lstat(path_.c_str(), &info) == 0 && info.st_ino == inode_) ::unlink(path_.c_str());
}

Error socket_error(const std::string& address, const zmq::error_t& error) {
  const bool in_use = error.num() == EADDRINUSE;
  return Error{.code = in_use ? ErrorCode::conflict : ErrorCode::bad_request,
               .what = "cannot use " + address + ": " + error.what(),
               .hint = in_use ? "another process has it; stop it or choose another address"
                              : "check that the host, the port or the folder exists"};
}

}  // namespace penstock::wire
