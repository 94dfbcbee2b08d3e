// A TCP proxy on loopback that cuts its connections once, after so many bytes towards the server.
// Threads: its own; cut() and address() from any.
#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <list>
#include <string>
#include <thread>
#include <vector>

namespace penstock::tests {

class CutProxy {
 public:
  /// `server`: tcp://127.0.0.1:PORT
  explicit CutProxy(const std::string& server, std::uint64_t cut_after)
      : target_(port_of(server)),
        cut_after_(cut_after),
        listening_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in here = loopback(0);
    socklen_t size = sizeof here;
    if (bind(listening_, reinterpret_cast<sockaddr*>(&here), sizeof here) == 0 &&
        listen(listening_, 16) == 0 &&
        getsockname(listening_, reinterpret_cast<sockaddr*>(&here), &size) == 0)
      port_ = ntohs(here.sin_port);
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }
  ~CutProxy() {
    thread_.request_stop();
    thread_.join();
    for (auto& pair : pairs_) pair.close_both();
    close(listening_);
  }
  CutProxy(const CutProxy&) = delete;
  CutProxy& operator=(const CutProxy&) = delete;

  [[nodiscard]] std::string address() const { return "tcp://127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] bool was_cut() const { return cut_; }

 private:
  struct Pair {
    int client = -1, server = -1;
    void close_both() {
      close(client);
      close(server);
      client = server = -1;
    }
  };
  static std::uint16_t port_of(const std::string& address) {
    return static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
  }
  static sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }
  void accept_one() {
    Pair pair;
    pair.client = accept(listening_, nullptr, nullptr);
    pair.server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in there = loopback(target_);
    if (pair.client >= 0 &&
        connect(pair.server, reinterpret_cast<const sockaddr*>(&there), sizeof there) == 0)
      pairs_.push_back(pair);
    else
      pair.close_both();
  }
  /// False when one end has closed.
  static bool move(int from, int to, std::uint64_t most, std::uint64_t& moved) {
    char bytes[4096];
    const ssize_t got = read(from, bytes, std::min<std::uint64_t>(sizeof bytes, most));
    if (got <= 0) return false;
    for (ssize_t done = 0; done < got;) {
      const ssize_t put = send(to, bytes + done, static_cast<std::size_t>(got - done), MSG_NOSIGNAL);
      if (put <= 0) return false;
      done += put;
    }
    moved += static_cast<std::uint64_t>(got);
    return true;
  }
  bool serve(Pair& pair, const pollfd& client, const pollfd& server) {
    std::uint64_t back = 0;
    if (server.revents != 0 && !move(pair.server, pair.client, ~std::uint64_t{0}, back)) return false;
    if (client.revents == 0) return true;
    const std::uint64_t left = cut_ ? ~std::uint64_t{0} : cut_after_ - forwarded_;
    if (!move(pair.client, pair.server, left, forwarded_)) return false;
    if (cut_ || forwarded_ < cut_after_) return true;
    cut_ = true;
    for (auto& one : pairs_)
      if (&one != &pair) one.close_both();
    return false;
  }
  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::vector<pollfd> watched = {{listening_, POLLIN, 0}};
      for (const auto& pair : pairs_) {
        watched.push_back({pair.client, POLLIN, 0});
        watched.push_back({pair.server, POLLIN, 0});
      }
      if (poll(watched.data(), watched.size(), 20) <= 0) continue;
      std::size_t at = 1;
      for (auto& pair : pairs_) {
        if (pair.client >= 0 && !serve(pair, watched[at], watched[at + 1])) pair.close_both();
        at += 2;
      }
      pairs_.remove_if([](const Pair& pair) { return pair.client < 0; });
      if (watched[0].revents != 0) accept_one();
    }
  }

  std::uint16_t target_, port_ = 0;
  std::uint64_t cut_after_, forwarded_ = 0;
  std::atomic<bool> cut_ = false;
  int listening_;
  std::list<Pair> pairs_;
  std::jthread thread_;
};

}  // namespace penstock::tests
