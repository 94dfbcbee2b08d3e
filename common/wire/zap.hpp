// Who may connect to the CURVE sockets of a ZeroMQ context (RFC 27): one thread that answers ZeroMQ's
// question, is this key allowed in this domain? Everything else is denied, a socket's own domain is enforced.
// Ownership: owns its thread; dies before the context. Threads: allow() and forget() from any.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <zmq.hpp>

namespace penstock::wire {

class ZapHandler {
 public:
  explicit ZapHandler(zmq::context_t& context);
  ~ZapHandler();
  ZapHandler(const ZapHandler&) = delete;
  ZapHandler& operator=(const ZapHandler&) = delete;

  /// `clients`: public keys as Z85.
  void allow(const std::string& domain, std::set<std::string> clients);
  void forget(const std::string& domain);

 private:
  void run();
  void answer();
  [[nodiscard]] bool is_allowed(const std::string& domain, const std::string& mechanism,
                                const zmq::message_t& key);
  std::mutex mutex_;
  std::map<std::string, std::set<std::string>> domains_;
  zmq::socket_t questions_, stop_here_, stop_there_;
  std::thread thread_;
};

}  // namespace penstock::wire
