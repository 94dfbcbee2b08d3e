// What loops of one process share: the ZeroMQ context, and who has bound which inproc name.
// ZeroMQ does not reconnect inproc by itself; every bind is announced here and the loops' dealers connect
// (again). Threads: any. A loop leaves before it dies; announcements go through its post().
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <zmq.hpp>

#include "common/wire/message_loop.hpp"
#include "common/wire/zap.hpp"

namespace penstock::wire {

class MessageLoop::Context {
 public:
  /// Called with a bound name and its generation; must only post.
  using Announcement = std::function<void(const std::string& address, std::uint64_t generation)>;

  explicit Context(int io_threads) : zmq_(io_threads) {}

  [[nodiscard]] zmq::context_t& zmq() { return zmq_; }

  /// The thread that decides who may connect, started with the first secured socket.
  [[nodiscard]] ZapHandler& zap() {
    const std::scoped_lock lock(mutex_);
    if (!zap_) zap_.emplace(zmq_);
    return *zap_;
  }

  /// Another one each time.
  [[nodiscard]] std::uint64_t next_number() {
    const std::scoped_lock lock(mutex_);
    return ++last_number_;
  }

  void join(const void* loop, Announcement announcement) {
    const std::scoped_lock lock(mutex_);
    loops_[loop] = std::move(announcement);
  }
  void leave(const void* loop) {
    const std::scoped_lock lock(mutex_);
    loops_.erase(loop);
  }
  void bound(const std::string& address) {
    const std::scoped_lock lock(mutex_);
    generations_[address] = ++last_generation_;
    for (const auto& [loop, announce] : loops_) announce(address, last_generation_);
  }
  void unbound(const std::string& address) {
    const std::scoped_lock lock(mutex_);
    generations_.erase(address);
  }
  /// The generation of the bind that `address` has now.
  [[nodiscard]] std::optional<std::uint64_t> generation(const std::string& address) {
    const std::scoped_lock lock(mutex_);
    const auto found = generations_.find(address);
    if (found == generations_.end()) return std::nullopt;
    return found->second;
  }

 private:
  zmq::context_t zmq_;
  std::optional<ZapHandler> zap_;
  std::mutex mutex_;
  std::unordered_map<const void*, Announcement> loops_;
  std::map<std::string, std::uint64_t> generations_;
  std::uint64_t last_generation_ = 0, last_number_ = 0;
};

}  // namespace penstock::wire
