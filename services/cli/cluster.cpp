#include "services/cli/cluster.hpp"

#include <CLI/CLI.hpp>
#include <condition_variable>
#include <mutex>

#include "common/runtime/lifecycle.hpp"
#include "services/cli/option_checks.hpp"

namespace penstock::cli {

void add_cluster_options(CLI::App* verb, Context& context) {
  verb->add_option("--url", context.environment().url, "The queue's address (PENSTOCK_URL)")
      ->capture_default_str();
  verb->parse_complete_callback([&context] { check_queue_url(context.environment().url); });
  verb->add_option("--api-key", context.environment().api_key,
                   "API key (PENSTOCK_API_KEY or PENSTOCK_API_KEY_FILE; seen by ps when given here)");
}

std::unique_ptr<QueueClient> connect(Context& context) {
  return std::make_unique<QueueClient>(context.environment().url, context.environment().api_key);
}

Error as_refusal(Error error) {
  if (exit_status(error.code) == static_cast<int>(ExitStatus::usage)) error.code = ErrorCode::bad_format;
  return error;
}

struct Interruption::Impl {
  std::mutex mutex;
  std::condition_variable changed;
  QueueClient* client = nullptr;
  bool happened = false;
  std::unique_ptr<runtime::SignalWatcher> watcher;
};

Interruption::Interruption() : impl_(std::make_unique<Impl>()) {
  impl_->watcher = std::make_unique<runtime::SignalWatcher>([impl = impl_.get()] {
    const std::lock_guard lock(impl->mutex);
    impl->happened = true;
    impl->changed.notify_all();
    if (impl->client != nullptr) impl->client->stop();
  });
}

Interruption::~Interruption() {
  impl_->watcher.reset();
}

void Interruption::stops(QueueClient& client) {
  const std::lock_guard lock(impl_->mutex);
  impl_->client = &client;
}

bool Interruption::happened() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->happened;
}

void Interruption::wait_for(std::chrono::milliseconds pause) const {
  std::unique_lock lock(impl_->mutex);
  impl_->changed.wait_for(lock, pause, [this] { return impl_->happened; });
}

}  // namespace penstock::cli
