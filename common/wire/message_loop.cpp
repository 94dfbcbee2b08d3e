#include "common/wire/message_loop.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <mutex>
#include <optional>
#include <system_error>

#include "common/wire/loop_socket.hpp"
#include "common/wire/timer_list.hpp"

namespace penstock::wire {
namespace {

/// Wakes a poll from any thread.
class WakeUp {
 public:
  WakeUp() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  }
  ~WakeUp() { ::close(fd_); }
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;
  [[nodiscard]] int fd() const { return fd_; }
  void ring() const { static_cast<void>(::eventfd_write(fd_, 1)); }  // can only fail when it rings already
  void clear() const {
    eventfd_t count = 0;
    static_cast<void>(::eventfd_read(fd_, &count));
  }

 private:
  int fd_;
};

}  // namespace

struct MessageLoop::Impl {
  std::shared_ptr<Context> context;
  std::optional<Security> security;
  std::function<void(const TurnedAway&)> turned_away;
  WakeUp wake_up;
  std::mutex mutex;
  std::vector<std::function<void()>> posted;  // guarded by mutex
  std::atomic<bool> stopping{false};
  std::atomic<std::uint64_t> dropped{0};
  std::vector<std::unique_ptr<LoopSocket>> sockets;
  TimerList timers;

  void post(std::function<void()> work) {
    {
      const std::scoped_lock lock(mutex);
      posted.push_back(std::move(work));
    }
    wake_up.ring();
  }

  void run_posted() {
    wake_up.clear();
    std::vector<std::function<void()>> batch;
    {
      const std::scoped_lock lock(mutex);
      batch.swap(posted);
    }
    for (auto& work : batch) work();
  }

  [[nodiscard]] long poll_timeout_ms() const {
    const auto due = timers.next_due();
    if (!due) return -1;
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(*due - std::chrono::steady_clock::now());
    return std::clamp<long>(wait.count(), 0, INT_MAX);
  }

  struct Ready {
    std::vector<LoopSocket*> readable, refused;
  };
  /// Waits, then returns the sockets that have something to read, and those with a failed handshake.
  Ready wait_ready() {
    std::vector<zmq_pollitem_t> items;
    items.push_back({nullptr, wake_up.fd(), ZMQ_POLLIN, 0});
    for (const auto& socket : sockets) {
      items.push_back({socket->zmq().handle(), 0, ZMQ_POLLIN, 0});
      items.push_back({socket->handshakes().handle(), 0, ZMQ_POLLIN, 0});
    }
    if (zmq_poll(items.data(), static_cast<int>(items.size()), poll_timeout_ms()) < 0 && zmq_errno() != EINTR)
      throw zmq::error_t();
    Ready ready;
    for (std::size_t i = 0; i < sockets.size(); ++i) {
      if ((items[2 * i + 1].revents & ZMQ_POLLIN) != 0) ready.readable.push_back(sockets[i].get());
      if ((items[2 * i + 2].revents & ZMQ_POLLIN) != 0) ready.refused.push_back(sockets[i].get());
    }
    return ready;
  }

  void round() {
    // Here no handler is on the stack: what one of them closed can be freed.
    std::erase_if(sockets, [](const auto& socket) { return !socket->is_open(); });
    const Ready ready = wait_ready();
    run_posted();
    timers.run_due(std::chrono::steady_clock::now());
    // A handler may close any socket: closed ones are skipped, and freed only when no handler is on the
    // stack.
    for (LoopSocket* socket : ready.readable)
      if (socket->is_open()) socket->receive_some();
    for (LoopSocket* socket : ready.refused)
      if (socket->is_open()) socket->report_refused(turned_away);
  }

  void close(LoopSocket* socket) {
    if (socket != nullptr && socket->is_open()) socket->close();
  }
};

std::shared_ptr<MessageLoop::Context> MessageLoop::make_context(int io_threads) {
  return std::make_shared<Context>(io_threads);
}

void MessageLoop::secure(Security security) {
  impl_->security = std::move(security);
}

void MessageLoop::on_turned_away(std::function<void(const TurnedAway&)> handler) {
  impl_->turned_away = std::move(handler);
}

MessageLoop::MessageLoop(std::shared_ptr<Context> context) : impl_(std::make_unique<Impl>()) {
  Impl* impl = impl_.get();
  impl->context = std::move(context);
  impl->context->join(impl, [impl](const std::string& address, std::uint64_t generation) {
    impl->post([impl, address, generation] {
      for (const auto& socket : impl->sockets)
        if (socket->is_open()) socket->on_bound(address, generation);
    });
  });
}

MessageLoop::~MessageLoop() {
  impl_->context->leave(impl_.get());
  for (const auto& socket : impl_->sockets) impl_->close(socket.get());
}

Result<RouterSocket*> MessageLoop::bind_router(const std::vector<std::string>& addresses,
                                               RouterHandler handler, ChunkHandler on_chunk) {
  auto router =
      std::make_unique<LoopRouter>(*impl_->context, std::move(handler), std::move(on_chunk), impl_->dropped);
  Status ready = impl_->security ? router->serve_curve(*impl_->security) : Status();
  if (ready.ok()) ready = router->bind(addresses);
  if (!ready.ok()) {
    router->close();
    return std::move(ready).error();
  }
  RouterSocket* handle = router.get();
  impl_->sockets.push_back(std::move(router));
  return handle;
}

Result<DealerSocket*> MessageLoop::connect_dealer(const std::string& address, const std::string& routing_id,
                                                  DealerHandler handler, const std::string& server_key) {
  auto dealer = std::make_unique<LoopDealer>(*impl_->context, address, std::move(handler), impl_->dropped);
  LoopDealer* handle = dealer.get();
  impl_->sockets.push_back(std::move(dealer));
  if (impl_->security) {
    if (auto secured = handle->use_curve(*impl_->security, server_key); !secured.ok()) {
      impl_->close(handle);
      return std::move(secured).error();
    }
  }
  if (auto connected = handle->connect(routing_id); !connected.ok()) {
    impl_->close(handle);
    return std::move(connected).error();
  }
  return static_cast<DealerSocket*>(handle);
}

void MessageLoop::close(RouterSocket* socket) {
  impl_->close(dynamic_cast<LoopSocket*>(socket));
}
void MessageLoop::close(DealerSocket* socket) {
  impl_->close(dynamic_cast<LoopSocket*>(socket));
}

MessageLoop::TimerId MessageLoop::every(std::chrono::milliseconds interval, std::function<void()> handler) {
  return impl_->timers.add(std::chrono::steady_clock::now() + interval, interval, std::move(handler));
}

MessageLoop::TimerId MessageLoop::after(std::chrono::milliseconds delay, std::function<void()> handler) {
  return impl_->timers.add(std::chrono::steady_clock::now() + delay, std::nullopt, std::move(handler));
}

void MessageLoop::cancel(TimerId timer) {
  impl_->timers.cancel(timer);
}
void MessageLoop::post(std::function<void()> work) {
  impl_->post(std::move(work));
}

void MessageLoop::run() {
  // Stop is looked at before the wait and after the work: what was posted before stop() has run.
  while (!impl_->stopping.load()) impl_->round();
  impl_->run_posted();
  impl_->stopping = false;
}

void MessageLoop::stop() {
  impl_->stopping = true;
  impl_->wake_up.ring();
}

std::uint64_t MessageLoop::dropped() const {
  return impl_->dropped.load();
}

}  // namespace penstock::wire
