// A synthesis worker and a GPU service that speak the wire's control, task and result conversations over
// inproc and prove nothing: the public signals of a "proof" are the values of the input, in order of their
// names. An input may carry orders in the member "_fake": "refuse" (the input is bad), "trip" (fails once,
// retryable), "hold" (nothing happens until release()).
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "common/wire/message_loop.hpp"

namespace penstock::queue::test {

using ContextPtr = std::shared_ptr<wire::MessageLoop::Context>;

/// What both have in common: a loop on a thread, Hello until Welcome, heartbeats with what is held.
class FakeWorker {
 public:
  struct Options {
    std::string queue_address;
    std::string name;
    std::string boot = "boot-1";
    std::uint32_t credits = 2;
    bool allow_insecure_keys = false;
  };
  FakeWorker(const ContextPtr& context, const Options& options, wire::WorkerKind kind);
  virtual ~FakeWorker();  ///< derived ones kill() first
  FakeWorker(const FakeWorker&) = delete;
  FakeWorker& operator=(const FakeWorker&) = delete;

  /// Says Hello again without credits, as the real ones do when they drain.
  void drain();
  /// Stops without a word, as a killed process does.
  void kill();
  [[nodiscard]] std::vector<wire::Message> received() const;
  template <class Kind>
  [[nodiscard]] int count() const {
    int total = 0;
    for (const wire::Message& message : received()) total += std::holds_alternative<Kind>(message) ? 1 : 0;
    return total;
  }

 protected:
  void start();
  virtual void on_message(const wire::Message& message) = 0;
  void send(const wire::Message& message);
  void hold(const wire::PartitionRef& partition);
  void let_go(const wire::PartitionRef& partition);
  [[nodiscard]] bool holds(const wire::PartitionRef& partition) const;
  Options options_;
  wire::MessageLoop loop_;

 private:
  [[nodiscard]] wire::Hello hello() const;
  void receive(const wire::Message& message);
  wire::WorkerKind kind_;
  wire::DealerSocket* socket_ = nullptr;
  bool welcomed_ = false;
  SteadyTime last_heard_{};
  std::vector<wire::PartitionRef> held_;
  mutable std::mutex mutex_;
  std::vector<wire::Message> received_;  // guarded by mutex_
  std::thread thread_;
};

class FakeGpu final : public FakeWorker {
 public:
  FakeGpu(const ContextPtr& context, const Options& options);
  ~FakeGpu() override { kill(); }  // before on_message() and what it uses are gone
  /// A staged partition, from a fake synthesis worker's thread.
  void stage(const wire::PartitionRef& partition, const std::string& publics);
  /// Results are withheld until released; what was staged meanwhile is proved then.
  void withhold();
  void release();

 private:
  void on_message(const wire::Message& message) override;
  void prove(const wire::PartitionRef& partition, const std::string& publics);
  bool withholding_ = false;
  std::vector<std::pair<wire::PartitionRef, std::string>> waiting_;
};

class FakeSynthesis final : public FakeWorker {
 public:
  FakeSynthesis(const ContextPtr& context, const Options& options, std::vector<FakeGpu*> gpus);
  ~FakeSynthesis() override { kill(); }
  void release();

 private:
  void on_message(const wire::Message& message) override;
  void synthesise(const wire::SynthesisTask& task);
  void stage(const wire::SynthesisTask& task);
  std::vector<FakeGpu*> gpus_;
  std::set<std::string> tripped_;
  std::vector<wire::SynthesisTask> held_tasks_;
};

}  // namespace penstock::queue::test
