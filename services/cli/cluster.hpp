// What the verbs that talk to a running cluster share: where it is, and how to end cleanly on ctrl-c.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "services/cli/context.hpp"
#include "services/cli/queue_client.hpp"

namespace penstock::cli {

/// Adds --url and --api-key; the environment's values are the defaults.
void add_cluster_options(CLI::App* verb, Context& context);
[[nodiscard]] std::unique_ptr<QueueClient> connect(Context& context);

/// A refusal by the queue is exit status 1 whatever its code; only our own usage errors are 2.
[[nodiscard]] Error as_refusal(Error error);

/// While it lives, SIGINT and SIGTERM stop the client's call instead of killing the process.
/// REQUIRES: built before any other thread starts.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  void stops(QueueClient& client);
  [[nodiscard]] bool happened() const;
  /// Pauses, shorter when it happens meanwhile.
  void wait_for(std::chrono::milliseconds pause) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock::cli
