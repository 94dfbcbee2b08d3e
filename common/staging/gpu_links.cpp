#include "common/staging/gpu_links.hpp"

#include <utility>
#include <variant>
#include <vector>

namespace penstock::staging {
namespace {

constexpr std::size_t most_messages = 64;  ///< of one partition, or waiting for one connection
constexpr std::chrono::seconds idle_limit{120};
constexpr std::chrono::seconds silent_limit{2};

std::string name_of(const wire::GpuRoute& route, int connection) {
  return route.name.text() + "/" + route.incarnation.text() + "#" + std::to_string(connection);
}

/// Of a message about one partition; else null.
const wire::PartitionRef* partition_of(const wire::Message& message) {
  return std::visit(
      [](const auto& one) -> const wire::PartitionRef* {
        if constexpr (requires { one.partition; })
          return &one.partition;
        else
          return nullptr;
      },
      message);
}

bool is_result(const wire::Message& message) {
  return std::holds_alternative<wire::PartitionProved>(message) ||
         std::holds_alternative<wire::PartitionFailed>(message);
}

}  // namespace

GpuLinks::Key GpuLinks::key_of(const wire::PartitionRef& partition) {
  return {partition.job, partition.index, static_cast<std::uint64_t>(partition.token)};
}

void GpuLinks::open(const wire::PartitionRef& partition) {
  const std::scoped_lock lock(mutex_);
  mailboxes_.insert_or_assign(key_of(partition), std::make_shared<Mailbox>());
}

void GpuLinks::close(const wire::PartitionRef& partition) {
  const std::scoped_lock lock(mutex_);
  mailboxes_.erase(key_of(partition));
}

void GpuLinks::send(const wire::GpuRoute& route, wire::Message message) {
  loop_.post([this, route, message = std::move(message)] { send_on_loop(route, message); });
}

std::optional<wire::Message> GpuLinks::wait_reply(const wire::PartitionRef& partition,
                                                  std::chrono::milliseconds longest, std::stop_token stop) {
  std::unique_lock lock(mutex_);
  const auto found = mailboxes_.find(key_of(partition));
  if (found == mailboxes_.end()) return std::nullopt;
  const std::shared_ptr<Mailbox> mailbox = found->second;
  if (!mailbox->changed.wait_for(lock, stop, longest, [&] { return !mailbox->letters.empty(); }))
    return std::nullopt;
  Letter letter = std::move(mailbox->letters.front());
  mailbox->letters.pop_front();
  mailbox->read_from = std::move(letter.address);
  return std::move(letter.message);
}

std::string GpuLinks::came_by(const wire::PartitionRef& partition) {
  const std::scoped_lock lock(mutex_);
  const auto found = mailboxes_.find(key_of(partition));
  return found == mailboxes_.end() ? std::string() : found->second->read_from;
}

void GpuLinks::send_chunk(const wire::GpuRoute& route, const wire::StageChunk& chunk,
                          const wire::ChunkBytes& bytes) {
  loop_.post([this, route, chunk, bytes] {
    Route& link = route_to(route, connection_of(chunk.partition));
    // A chunk that cannot be sent is lost: the sender is told how far the others came, and goes on there.
    if (link.socket != nullptr && link.unsent.empty())
      static_cast<void>(link.socket->send_chunk(chunk, bytes));
  });
}

int GpuLinks::connection_of(const wire::PartitionRef& partition) const {
  const std::size_t spread = std::hash<std::string>{}(partition.job.text()) + partition.index;
  return static_cast<int>(spread % static_cast<std::size_t>(connections_));
}

GpuLinks::Route& GpuLinks::route_to(const wire::GpuRoute& target, int connection) {
  const std::string name = name_of(target, connection);
  Route& route = routes_[name];
  if (route.socket == nullptr) {
    route.target = target;
    route.connection = connection;
    connect(name, route);
  }
  route.last_sent = clock_.steady_now();
  return route;
}

void GpuLinks::send_on_loop(const wire::GpuRoute& target, const wire::Message& message) {
  const wire::PartitionRef* partition = partition_of(message);
  Route& route = route_to(target, partition == nullptr ? 0 : connection_of(*partition));
  if (partition != nullptr) {
    const std::scoped_lock lock(mutex_);
    if (const auto found = mailboxes_.find(key_of(*partition)); found != mailboxes_.end())
      found->second->route = name_of(target, route.connection);
  }
  if (route.unsent.size() < most_messages) route.unsent.push_back(message);
  flush(route);
}

void GpuLinks::connect(const std::string& name, Route& route) {
  route.last_heard = route.connected = clock_.steady_now();
  if (route.target.data_endpoints.empty()) return;
  route.address = route.target.data_endpoints[route.endpoint % route.target.data_endpoints.size()];
  // One a connection and boot of the service: the dealer of an earlier boot finds the new one at the same
  // address, and under the same name it would take over from this.
  std::string routing_id = routing_id_ + "@" + route.target.incarnation.text();
  if (route.connection > 0) routing_id += "#" + std::to_string(route.connection);
  auto socket = loop_.connect_dealer(
      route.address, routing_id, [this, name](wire::Message message) { received(name, std::move(message)); },
      route.target.curve_key);
  // A malformed address: the next one is tried at the next tick.
  route.socket = socket.ok() ? *socket : nullptr;
}

void GpuLinks::flush(Route& route) {
  while (route.socket != nullptr && !route.unsent.empty()) {
    if (!route.socket->send(route.unsent.front()).ok()) return;  // not connected yet: tick() tries again
    route.unsent.pop_front();
  }
}

void GpuLinks::received(const std::string& route, wire::Message message) {
  const auto from = routes_.find(route);
  if (from != routes_.end()) from->second.last_heard = clock_.steady_now();
  const wire::PartitionRef* partition = partition_of(message);
  if (partition == nullptr) return;
  const wire::PartitionRef ref = *partition;
  if (put(ref, {message, from == routes_.end() ? std::string() : from->second.address})) return;
  // Nobody waits any more: the slab goes back, the result is let go.
  if (from == routes_.end()) return;
  if (const auto* grant = std::get_if<wire::StageGrant>(&message))
    send_on_loop(from->second.target,
                 wire::StageAbandon{.partition = grant->partition, .lease = grant->lease});
  else if (is_result(message))
    send_on_loop(from->second.target, wire::ResultCommitted{ref});
}

bool GpuLinks::put(const wire::PartitionRef& partition, Letter letter) {
  const std::scoped_lock lock(mutex_);
  const auto found = mailboxes_.find(key_of(partition));
  if (found == mailboxes_.end()) return false;
  Mailbox& mailbox = *found->second;
  // A full one loses the message: its sender repeats what matters.
  if (mailbox.letters.size() < most_messages) mailbox.letters.push_back(std::move(letter));
  mailbox.changed.notify_all();
  return true;
}

void GpuLinks::turned_away(const std::string& address, const Error& error) {
  std::vector<wire::PartitionRef> waiting;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [key, mailbox] : mailboxes_) {
      const auto route = routes_.find(mailbox->route);
      if (route != routes_.end() && route->second.address == address)
        waiting.push_back({std::get<0>(key), std::get<1>(key), 0, FencingToken{std::get<2>(key)}});
    }
  }
  for (const auto& partition : waiting)
    static_cast<void>(put(partition, {wire::StageRefused{partition, error, true}, address}));
}

void GpuLinks::tick() {
  const SteadyTime now = clock_.steady_now();
  for (auto at = routes_.begin(); at != routes_.end();) {
    const std::string& name = at->first;
    Route& route = at->second;
    flush(route);
    if (now - route.last_sent > idle_limit) {
      if (route.socket != nullptr) loop_.close(route.socket);
      at = routes_.erase(at);
      continue;
    }
    const bool stuck = !route.unsent.empty() && now - route.connected > silent_limit;
    if (stuck) {
      if (route.socket != nullptr) loop_.close(std::exchange(route.socket, nullptr));
      ++route.endpoint;
      connect(name, route);
    }
    ++at;
  }
}

}  // namespace penstock::staging
