// The StagingLink over ZeroMQ: one dealer per GPU service, made when a task first names it and closed when it
// has been idle for a while; of its addresses the next is tried when one stays silent. Ownership: borrows the
// loop; owns its sockets there. Threads: open/close/send/wait_reply from any; the rest on the loop's thread.
// Destroy after the loop has ended.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>

#include "common/base/clock.hpp"
#include "common/staging/staging_link.hpp"
#include "common/wire/message_loop.hpp"

namespace penstock::staging {

class GpuLinks final : public StagingLink {
 public:
  /// `connections`: to each GPU service; a partition keeps to one of them, so its chunks stay in order.
  GpuLinks(wire::MessageLoop& loop, const Clock& clock, std::string routing_id, int connections = 1)
      : loop_(loop), clock_(clock), routing_id_(std::move(routing_id)), connections_(connections) {}

  void open(const wire::PartitionRef& partition) override;
  void close(const wire::PartitionRef& partition) override;
  void send(const wire::GpuRoute& route, wire::Message message) override;
  void send_chunk(const wire::GpuRoute& route, const wire::StageChunk& chunk,
                  const wire::ChunkBytes& bytes) override;
  [[nodiscard]] std::optional<wire::Message> wait_reply(const wire::PartitionRef& partition,
                                                        std::chrono::milliseconds longest,
                                                        std::stop_token stop) override;
  [[nodiscard]] std::string came_by(const wire::PartitionRef& partition) override;
  /// Closes idle sockets and turns to the next address of silent ones. Loop thread, about once a second.
  void tick();
  /// Whoever waits for a GPU service at this address is refused by name (retryable). Loop thread.
  void turned_away(const std::string& address, const Error& error);

 private:
  using Key = std::tuple<JobId, std::uint32_t, std::uint64_t>;
  struct Letter {
    wire::Message message;
    std::string address;  ///< by which it came
  };
  struct Mailbox {
    std::condition_variable_any changed;
    std::deque<Letter> letters;
    std::string read_from;  ///< the address of the letter read last
    std::string route;      ///< by which the partition's messages went last
  };
  struct Route {
    wire::GpuRoute target;
    int connection = 0;
    wire::DealerSocket* socket = nullptr;
    std::size_t endpoint = 0;
    std::string address;  ///< of the socket
    SteadyTime last_sent{}, last_heard{}, connected{};
    std::deque<wire::Message> unsent;  ///< until the connection stands; bounded
  };
  [[nodiscard]] static Key key_of(const wire::PartitionRef& partition);
  [[nodiscard]] int connection_of(const wire::PartitionRef& partition) const;
  [[nodiscard]] Route& route_to(const wire::GpuRoute& target, int connection);
  void send_on_loop(const wire::GpuRoute& target, const wire::Message& message);
  void connect(const std::string& name, Route& route);
  void flush(Route& route);
  void received(const std::string& route, wire::Message message);
  /// False when nobody waits for it.
  [[nodiscard]] bool put(const wire::PartitionRef& partition, Letter letter);

  wire::MessageLoop& loop_;
  const Clock& clock_;
  const std::string routing_id_;
  const int connections_;
  std::map<std::string, Route> routes_;  ///< by name, incarnation and connection; loop thread
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<Mailbox>> mailboxes_;
};

}  // namespace penstock::staging
