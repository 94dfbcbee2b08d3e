// The real service in this process, with an HTTP client and fake workers.
#pragma once

#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "services/queue/service.hpp"
#include "tests/unit/queue/fake_workers.hpp"
#include "tests/unit/queue/scratch_folder.hpp"

namespace penstock::queue::test {

using nlohmann::json;

/// The bytes of a file in tests/vectors.
[[nodiscard]] std::string vector_bytes(const std::string& relative);
/// Asks again until it holds; false after `patience`.
[[nodiscard]] bool eventually(const std::function<bool()>& holds,
                              std::chrono::milliseconds patience = std::chrono::seconds(20));

struct Answer {
  int status = 0;
  json body;
  httplib::Headers headers;
};

/// The system's clock, with a time of day that can be moved ahead.
class ShiftedClock final : public Clock {
 public:
  [[nodiscard]] SteadyTime steady_now() const override { return system_.steady_now(); }
  [[nodiscard]] WallTime wall_now() const override { return system_.wall_now() + ahead_.load(); }
  void move_ahead(std::chrono::hours by) { ahead_ = by; }

 private:
  SystemClock system_;
  std::atomic<std::chrono::hours> ahead_{};
};

class ServiceRig : public testing::Test {
 protected:
  ServiceRig();
  ~ServiceRig() override;

  /// Starts (again) on the same data folder.
  void start();
  /// Ends the service in order: drains and waits.
  void stop();
  /// Ends it without draining: what was not committed is gone.
  void abandon();
  void join_workers(std::uint32_t credits = 2);

  httplib::Client client() const;
  Answer get(const std::string& path, const httplib::Headers& headers = {}) const;
  Answer remove(const std::string& path) const;
  Answer post(const std::string& path) const;
  Answer post_form(const std::string& path, const httplib::MultipartFormDataItems& parts,
                   const httplib::Headers& headers = {}) const;
  Answer put_form(const std::string& path, const httplib::MultipartFormDataItems& parts) const;

  /// Registers tests/vectors/bn254/NAME.
  Answer put_circuit(const std::string& vector, const std::string& name = "");
  Answer submit(const std::vector<std::string>& inputs, const json& job = {{"circuit", "mul"}},
                const httplib::Headers& headers = {}) const;
  /// Submits and expects 202.
  std::string submit_id(const std::vector<std::string>& inputs, const json& job = {{"circuit", "mul"}}) const;
  json wait_for(const std::string& job) const;
  [[nodiscard]] std::size_t inputs_on_disk() const;
  [[nodiscard]] double metric(const std::string& line_start) const;

  ScratchFolder scratch_;
  Settings settings_;
  ContextPtr context_ = wire::MessageLoop::make_context();
  ShiftedClock clock_;
  std::shared_ptr<spdlog::logger> log_;
  std::unique_ptr<QueueService> service_;
  std::thread thread_;
  std::unique_ptr<FakeGpu> gpu_;
  std::unique_ptr<FakeSynthesis> synthesis_;
};

}  // namespace penstock::queue::test
