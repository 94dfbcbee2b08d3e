// The running service towards a queue that only listens.
#include "services/gpu/service.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <thread>

#include "common/wire/message_loop.hpp"

namespace penstock::gpu {
namespace {

// Fault: a service that drained kept its credits in the queue's eyes and was chosen until its Goodbye.
TEST(Service, drains_by_a_hello_without_credits_and_then_a_goodbye) {
  std::string folder = "/dev/shm/penstock-gpu-XXXXXX";  // an arena lies in memory
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  wire::MessageLoop queue(wire::MessageLoop::make_context());
  std::vector<std::uint32_t> credits;
  std::unique_ptr<Service> service;
  wire::RouterSocket* router = nullptr;
  const auto received = [&](const wire::PeerId& peer, const wire::Message& message) {
    if (const auto* hello = std::get_if<wire::Hello>(&message)) {
      credits.push_back(hello->credits);
      static_cast<void>(router->send(peer, wire::Welcome{.queue = Incarnation("queue-1"),
                                                         .heartbeat_interval = std::chrono::seconds(1),
                                                         .heartbeat_timeout = std::chrono::seconds(60),
                                                         .circuits = {}}));
      if (credits.size() == 1) service->drain();
    }
    if (std::holds_alternative<wire::Goodbye>(message)) queue.stop();
  };
  router = queue.bind_router({"tcp://127.0.0.1:0"}, received).value();
  Settings settings;
  settings.device = "cpu";
  settings.threads = 1;
  settings.arena = folder + "/arena";
  settings.arena_bytes = 1 << 20;
  settings.bind = "tcp://127.0.0.1:0";
  settings.metrics = "127.0.0.1:0";
  settings.queue = router->endpoints().front();
  settings.log_level = "error";
  auto started = Service::start(settings);
  ASSERT_TRUE(started.ok()) << to_string(started.error());
  service = std::move(started).value();
  std::thread worker([&] { EXPECT_TRUE(service->run().ok()); });
  queue.run();  // until the goodbye
  worker.join();
  ASSERT_GE(credits.size(), 2u);
  EXPECT_GT(credits.front(), 0u);
  EXPECT_EQ(credits.back(), 0u);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace penstock::gpu
