// The staging link over a real message loop, in one process.
#include "common/staging/gpu_links.hpp"

#include <future>
#include <mutex>
#include <set>
#include <thread>

#include "tests/unit/staging/staging_rig.hpp"

namespace penstock::staging {
namespace {

class GpuLinksSuite : public ::testing::Test {
 protected:
  void start(wire::MessageLoop::RouterHandler handler) {
    router_ = loop_.bind_router({"inproc://gpu"}, std::move(handler)).value();
    loop_.every(std::chrono::milliseconds(20), [this] { links_.tick(); });
    thread_ = std::jthread([this] { loop_.run(); });
  }
  ~GpuLinksSuite() override {
    loop_.stop();
    if (thread_.joinable()) thread_.join();
  }
  wire::StageRequest request(std::uint64_t token) const {
    wire::StageRequest one;
    one.partition = {JobId("job"), 0, 1, FencingToken{token}};
    one.circuit = CircuitId(std::string(64, 'c'));
    one.worker = WorkerName("synthesis-1");
    one.worker_incarnation = Incarnation("boot");
    one.host_id = "this-host";
    one.size_bytes = 100;
    return one;
  }

  SystemClock clock_;
  wire::MessageLoop loop_{wire::MessageLoop::make_context()};
  GpuLinks links_{loop_, clock_, "synthesis-1/boot"};
  wire::RouterSocket* router_ = nullptr;
  std::jthread thread_;
  const std::chrono::seconds long_{20};
};

TEST_F(GpuLinksSuite, BringsEachAnswerToThePartitionThatWaits) {
  start([this](const wire::PeerId& peer, const wire::Message& message) {
    EXPECT_EQ(peer, "synthesis-1/boot@one");
    const auto& one = std::get<wire::StageRequest>(message);
    static_cast<void>(router_->send(
        peer, wire::StageAccepted{one.partition, static_cast<std::uint64_t>(one.partition.token)}));
  });
  const auto route = parcel_for("this host").gpu;
  for (const std::uint64_t token : {1, 2}) links_.open(request(token).partition);
  for (const std::uint64_t token : {2, 1}) links_.send(route, request(token));
  for (const std::uint64_t token : {1, 2}) {
    const auto reply = links_.wait_reply(request(token).partition, long_, {});
    ASSERT_TRUE(reply);
    EXPECT_EQ(std::get<wire::StageAccepted>(*reply).lease, token);
  }
}

TEST_F(GpuLinksSuite, AbandonsAGrantThatNobodyWaitsFor) {
  std::promise<wire::StageAbandon> abandoned;
  start([&](const wire::PeerId& peer, const wire::Message& message) {
    if (const auto* one = std::get_if<wire::StageRequest>(&message))
      static_cast<void>(router_->send(peer, grant_of(one->partition, 42, "/nowhere", 0, 100)));
    if (const auto* one = std::get_if<wire::StageAbandon>(&message)) abandoned.set_value(*one);
  });
  links_.send(parcel_for("this host").gpu, request(1));  // never opened
  auto future = abandoned.get_future();
  ASSERT_EQ(future.wait_for(long_), std::future_status::ready);
  EXPECT_EQ(future.get().lease, 42U);
}

TEST_F(GpuLinksSuite, TriesTheNextAddressWhenOneStaysSilent) {
  start([this](const wire::PeerId& peer, const wire::Message& message) {
    const auto& one = std::get<wire::StageRequest>(message);
    static_cast<void>(router_->send(peer, wire::StageAccepted{one.partition, 1}));
  });
  auto route = parcel_for("this host").gpu;
  route.data_endpoints = {"no address", "ipc:///nonexistent/folder/gpu.ipc", "inproc://gpu"};
  links_.open(request(1).partition);
  links_.send(route, request(1));
  EXPECT_TRUE(links_.wait_reply(request(1).partition, long_, {}));
  EXPECT_EQ(links_.came_by(request(1).partition), "inproc://gpu") << "not the first of the list";
  EXPECT_EQ(links_.came_by(request(2).partition), "") << "nothing came";
}

// Fault: after a restart of the GPU service the dealers of both boots came to the same address as one peer,
// took over from each other and lost requests: the first partitions waited six seconds.
TEST_F(GpuLinksSuite, IsAnotherPeerToEachBootOfAService) {
  std::mutex mutex;
  std::set<wire::PeerId> peers;
  start([&](const wire::PeerId& peer, const wire::Message& message) {
    {
      const std::scoped_lock lock(mutex);
      peers.insert(peer);
    }
    static_cast<void>(
        router_->send(peer, wire::StageAccepted{std::get<wire::StageRequest>(message).partition, 1}));
  });
  auto earlier = parcel_for("this host").gpu, later = earlier;
  later.incarnation = Incarnation("two");
  for (const std::uint64_t token : {1, 2}) {
    links_.open(request(token).partition);
    links_.send(token == 1 ? earlier : later, request(token));
    EXPECT_TRUE(links_.wait_reply(request(token).partition, long_, {}));
  }
  const std::scoped_lock lock(mutex);
  EXPECT_EQ(peers, (std::set<wire::PeerId>{"synthesis-1/boot@one", "synthesis-1/boot@two"}));
}

TEST_F(GpuLinksSuite, StopsWaitingWhenAsked) {
  start([](const wire::PeerId&, const wire::Message&) {});
  std::stop_source stop;
  links_.open(request(1).partition);
  stop.request_stop();
  EXPECT_FALSE(links_.wait_reply(request(1).partition, long_, stop.get_token()));
}

}  // namespace
}  // namespace penstock::staging
