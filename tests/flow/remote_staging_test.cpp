// A worker on another host: real sockets between its stager and the GPU service's core, with the connection
// cut at every chunk, plain and with CURVE.
#include <gtest/gtest.h>

#include "common/base/checksum.hpp"
#include "common/staging/gpu_links.hpp"
#include "common/staging/stager.hpp"
#include "tests/flow/cut_proxy.hpp"
#include "tests/flow/gpu_server.hpp"

namespace penstock::tests {
namespace {

using namespace std::chrono_literals;
constexpr std::size_t chunks = 12;

/// A worker's links and one partition that it stages.
class Worker {
 public:
  explicit Worker(const std::optional<Security>& security) {
    options_.host_id = "far away";
    options_.worker = WorkerName("s");
    options_.incarnation = Incarnation("boot");
    options_.repeat_after = 100ms;
    loop_.run_there([&] {
      if (security) loop_->secure(*security);
      loop_->every(20ms, [this] { links_.tick(); });
    });
  }
  ~Worker() { loop_.end(); }
  Status stage(const std::string& address, const std::string& server_key) {
    staging::Parcel parcel;
    parcel.partition = {JobId("job"), 0, 1, FencingToken{7}};
    parcel.circuit = GpuServer::circuit_id();
    parcel.gpu = {WorkerName("gpu"), Incarnation("one"), {address}, "here", server_key};
    const staging::OpenLink open(links_, parcel.partition);
    staging::Stager stager(options_, links_, arenas_, clock_);
    telemetry::PhaseTimes phases;
    auto staged = stager.stage(parcel, chunks * chunk_bytes,
                               [](std::span<std::byte> to) {
                                 for (std::size_t i = 0; i < to.size(); ++i)
                                   to[i] = static_cast<std::byte>(i % 251 * 2);
                                 return staging::Stager::Written{to.size(), checksum_of(to)};
                               },
                               phases, {});
    if (staged.ok()) return {};
    return std::move(staged).error();
  }

 private:
  SystemClock clock_;
  staging::StagerOptions options_;
  staging::Arenas arenas_;
  Loop loop_;
  staging::GpuLinks links_{*loop_, clock_, "s/boot"};
};

struct Keys {
  std::shared_ptr<const wire::CurveKeys> server =
      std::make_shared<const wire::CurveKeys>(wire::make_curve_keys());
  std::shared_ptr<const wire::CurveKeys> worker =
      std::make_shared<const wire::CurveKeys>(wire::make_curve_keys());
};

/// The partition arrives whole, once, and is proved; the core compares its checksum.
void expect_staged_despite_a_cut_after(std::uint64_t bytes, const std::optional<Keys>& keys) {
  std::optional<Security> of_server, of_worker;
  if (keys) {
    of_server = Security{keys->server, {keys->worker->public_key}};
    of_worker = Security{keys->worker, {}};
  }
  GpuServer server(of_server);
  CutProxy proxy(server.address(), bytes);
  Worker worker(of_worker);
  const Status staged = worker.stage(proxy.address(), keys ? keys->server->public_key : "");
  ASSERT_TRUE(staged.ok()) << to_string(staged.error());
  EXPECT_TRUE(proxy.was_cut()) << bytes;
  const auto results = server.results.wait_for(1);
  EXPECT_TRUE(std::holds_alternative<wire::PartitionProved>(results.front())) << "cut after " << bytes;
}

TEST(RemoteStaging, a_connection_cut_at_each_chunk_is_resumed) {
  for (std::uint64_t chunk = 0; chunk < chunks; ++chunk)
    expect_staged_despite_a_cut_after(chunk * (chunk_bytes + 200) + 1500, std::nullopt);
}

TEST(RemoteStaging, and_so_it_is_under_curve) {
  const Keys keys;
  for (const std::uint64_t bytes : {300, 1500, 20'000, 45'000})
    expect_staged_despite_a_cut_after(bytes, keys);
}

}  // namespace
}  // namespace penstock::tests
