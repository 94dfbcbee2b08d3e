#include "services/cli/bench/staging/remote_rates.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <future>
#include <latch>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "common/base/checksum.hpp"
#include "common/base/clock.hpp"
#include "common/wire/message_loop.hpp"

namespace penstock::cli::bench {
namespace {

using wire::MessageLoop;
using Keys = std::shared_ptr<const wire::CurveKeys>;

/// A loop and its thread.
class RunningLoop {
 public:
  explicit RunningLoop(int io_threads) : loop_(MessageLoop::make_context(io_threads)) {}
  void start() {
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~RunningLoop() {
    loop_.stop();
    if (thread_.joinable()) thread_.join();
  }
  MessageLoop& operator*() { return loop_; }

 private:
  MessageLoop loop_;
  std::thread thread_;
};

/// The GPU service's side: a slab a connection.
class Receiver {
 public:
  Receiver(const RemoteSettings& settings, const Keys& keys, const std::string& client)
      : each_(settings.bytes / static_cast<std::uint64_t>(settings.connections)), loop_(settings.io_threads) {
    if (keys) (*loop_).secure({keys, {client}});
    for (int i = 0; i < settings.connections; ++i) slabs_[std::to_string(i)].resize(each_);
  }
  [[nodiscard]] Status open() {
    router_ = PENSTOCK_TRY((*loop_).bind_router(
        {"tcp://127.0.0.1:0"}, [](const wire::PeerId&, const wire::Message&) {},
        [this](const wire::PeerId& peer, const wire::StageChunk& chunk, std::span<const std::byte> bytes) {
          take(peer, chunk, bytes);
        }));
    loop_.start();
    return {};
  }
  [[nodiscard]] std::string address() const { return router_->endpoints().front(); }
  [[nodiscard]] bool all_right() const { return wrong_ == 0; }

 private:
  void take(const wire::PeerId& peer, const wire::StageChunk& chunk, std::span<const std::byte> bytes) {
    auto& slab = slabs_.at(peer);
    const bool right = chunk.offset + bytes.size() <= slab.size() && checksum_of(bytes) == chunk.checksum;
    if (right)
      std::memcpy(slab.data() + chunk.offset, bytes.data(), bytes.size());
    else
      ++wrong_;
    static_cast<void>(router_->send(peer, wire::StageCredit{.partition = chunk.partition,
                                                            .received_bytes = chunk.offset + bytes.size()}));
  }
  std::uint64_t each_;
  std::map<std::string, std::vector<std::byte>> slabs_;
  std::atomic<int> wrong_ = 0;
  wire::RouterSocket* router_ = nullptr;
  RunningLoop loop_;
};

/// A worker's side: one connection, its window kept full.
class Sender {
 public:
  Sender(const RemoteSettings& settings, int number, const Keys& keys)
      : settings_(settings),
        number_(number),
        total_(settings.bytes / static_cast<std::uint64_t>(settings.connections)),
        buffer_(std::make_shared<SensitiveVector<std::byte>>(total_)),
        loop_(1) {
    if (keys) (*loop_).secure({keys, {}});
    for (std::size_t i = 0; i < buffer_->size(); i += 64)
      buffer_->reveal()[i] = static_cast<std::byte>(i / 64);
  }
  [[nodiscard]] Status open(const std::string& address, const std::string& server_key) {
    dealer_ = PENSTOCK_TRY((*loop_).connect_dealer(
        address, std::to_string(number_), [this](const wire::Message& message) { credit(message); },
        server_key));
    // Until the connection stands a send is refused: the first chunk is tried again.
    (*loop_).every(std::chrono::milliseconds(1), [this] {
      if (running_) fill_window();
    });
    loop_.start();
    return {};
  }
  void begin() {
    (*loop_).post([this] {
      running_ = true;
      fill_window();
    });
  }
  void wait() { done_.wait(); }

 private:
  void credit(const wire::Message& message) {
    if (const auto* one = std::get_if<wire::StageCredit>(&message)) acknowledged_ = one->received_bytes;
    if (acknowledged_ >= total_ && !finished_) {
      finished_ = true;
      done_.count_down();
    }
    fill_window();
  }
  void fill_window() {
    const std::uint64_t window = std::uint64_t{settings_.chunk_bytes} * settings_.credits;
    while (next_ < total_ && next_ < acknowledged_ + window) {
      const wire::ChunkBytes bytes{buffer_, next_,
                                   std::min<std::uint64_t>(settings_.chunk_bytes, total_ - next_)};
      wire::StageChunk chunk;
      chunk.partition = {JobId("bench"), static_cast<std::uint32_t>(number_), 1, FencingToken{1}};
      chunk.offset = next_;
      chunk.checksum = checksum_of(bytes.view());
      if (!dealer_->send_chunk(chunk, bytes).ok()) return;
      next_ += bytes.size_bytes;
    }
  }
  const RemoteSettings& settings_;
  const int number_;
  const std::uint64_t total_;
  std::shared_ptr<SensitiveVector<std::byte>> buffer_;
  std::uint64_t next_ = 0, acknowledged_ = 0;
  bool running_ = false, finished_ = false;
  std::latch done_{1};
  wire::DealerSocket* dealer_ = nullptr;
  RunningLoop loop_;
};

}  // namespace

Result<RemoteRate> measure_remote(const RemoteSettings& settings) {
  Keys server, client;
  if (settings.curve) {
    server = std::make_shared<const wire::CurveKeys>(wire::make_curve_keys());
    client = std::make_shared<const wire::CurveKeys>(wire::make_curve_keys());
  }
  Receiver receiver(settings, server, client ? client->public_key : "");
  PENSTOCK_TRY(receiver.open());
  std::vector<std::unique_ptr<Sender>> senders;
  for (int i = 0; i < settings.connections; ++i) {
    senders.push_back(std::make_unique<Sender>(settings, i, client));
    PENSTOCK_TRY(senders.back()->open(receiver.address(), server ? server->public_key : ""));
  }
  const auto begin = std::chrono::steady_clock::now();
  for (auto& sender : senders) sender->begin();
  for (auto& sender : senders) sender->wait();
  const Seconds spent = std::chrono::steady_clock::now() - begin;
  senders.clear();
  if (!receiver.all_right())
    return Error{.code = ErrorCode::internal, .what = "what arrived is not what was sent"};
  return RemoteRate{settings, static_cast<double>(settings.bytes) / spent.count() / 1e9};
}

}  // namespace penstock::cli::bench
