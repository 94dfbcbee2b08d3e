// The small parts: API keys, the store of inputs, the backlog meter, background work, the settings.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <future>

#include "services/queue/api_keys.hpp"
#include "services/queue/background_thread.hpp"
#include "services/queue/backlog_meter.hpp"
#include "services/queue/blob_store.hpp"
#include "services/queue/input_wiper.hpp"
#include "services/queue/intake_budget.hpp"
#include "services/queue/job_desk.hpp"
#include "services/queue/settings.hpp"
#include "tests/unit/queue/scratch_folder.hpp"

namespace penstock::queue::test {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

TEST(ApiKeys, any_listed_key_is_accepted_and_nothing_else) {
  const auto keys = ApiKeys::parse("first-key-of-many, second-key-of-many\n");
  ASSERT_TRUE(keys.ok());
  EXPECT_TRUE(keys->required());
  EXPECT_TRUE(keys->accept("first-key-of-many"));
  EXPECT_TRUE(keys->accept("second-key-of-many"));
  for (const char* wrong : {"", "first-key-of-man", "first-key-of-many ", "FIRST-KEY-OF-MANY",
                            "first-key-of-many, second-key-of-many"})
    EXPECT_FALSE(keys->accept(wrong)) << wrong;
}

TEST(ApiKeys, no_key_means_none_is_required_and_none_accepted) {
  const auto keys = ApiKeys::parse(" , \n");
  ASSERT_TRUE(keys.ok());
  EXPECT_FALSE(keys->required());
  EXPECT_FALSE(keys->accept(""));
}

TEST(ApiKeys, short_keys_are_refused) {
  EXPECT_EQ(ApiKeys::parse("fifteen-letters").error().code, ErrorCode::bad_request);
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// As many descriptors can be opened, while this lives.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t free) {
    const int lowest = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::close(lowest);
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    const rlimit few{static_cast<rlim_t>(lowest) + free, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  }
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
  rlimit before_{};
};

TEST(BlobStore, inputs_are_private_and_come_back_whole) {
  const ScratchFolder folder;
  const auto store = BlobStore::open(folder.path() / "blobs");
  ASSERT_TRUE(store.ok());
  const JobId job("job1");
  ASSERT_TRUE(store->write(job, 7, bytes_of("secret")).ok());
  ASSERT_TRUE(store->sync(std::vector<std::string>{BlobStore::name_of(job, 7)}).ok());
  EXPECT_EQ(fs::status(folder.path() / "blobs").permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(folder.path() / "blobs/job1-7").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  const auto back = store->read(job, 7);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(back->data()), back->size()), "secret");
  EXPECT_FALSE(store->write(job, 7, bytes_of("again")).ok()) << "an input is written once";
  EXPECT_EQ(store->read(job, 8).error().code, ErrorCode::file_unreadable);
}

TEST(BlobStore, a_removed_input_is_wiped_before_its_name_goes) {
  const ScratchFolder folder;
  const auto store = BlobStore::open(folder.path() / "blobs");
  ASSERT_TRUE(store.ok());
  ASSERT_TRUE(store->write(JobId("j"), 0, bytes_of(std::string(100'000, 'x'))).ok());
  fs::create_hard_link(folder.path() / "blobs/j-0", folder.path() / "watcher");
  const std::vector<std::string> names = {BlobStore::name_of(JobId("j"), 0)};
  store->remove(names);
  store->remove(names);
  EXPECT_FALSE(fs::exists(folder.path() / "blobs/j-0"));
  std::ifstream watcher(folder.path() / "watcher", std::ios::binary);
  const std::string left((std::istreambuf_iterator<char>(watcher)), std::istreambuf_iterator<char>());
  EXPECT_EQ(left, std::string(100'000, '\0'));
}

// Fault: an input that could not be opened again was skipped, and its job acknowledged as durable.
TEST(BlobStore, an_input_that_cannot_be_opened_again_is_not_flushed) {
  const ScratchFolder folder;
  const auto store = BlobStore::open(folder.path() / "blobs");
  ASSERT_TRUE(store.ok());
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < 10; ++i) {
    ASSERT_TRUE(store->write(JobId("j"), i, bytes_of("secret")).ok());
    names.push_back(BlobStore::name_of(JobId("j"), i));
  }
  const std::vector<std::string> few = {names[0], names[1]}, with_absent = {"absent", names[0]};
  EXPECT_EQ(store->sync(with_absent).error().code, ErrorCode::file_unwritable);
  const FewDescriptors one_free(1);  // the folder's
  for (const auto& some : {few, names}) {
    const Status synced = store->sync(some);
    ASSERT_FALSE(synced.ok()) << some.size();
    EXPECT_NE(synced.error().what.find("open files"), std::string::npos) << synced.error().what;
  }
}

// Fault: each input was flushed for itself; a job of a thousand took four seconds on a disk of 4 ms.
TEST(BlobStore, many_inputs_are_written_flushed_and_wiped_together) {
  const ScratchFolder folder;
  const auto store = BlobStore::open(folder.path() / "blobs");
  ASSERT_TRUE(store.ok());
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(store->write(JobId("j"), i, bytes_of("secret")).ok());
    names.push_back(BlobStore::name_of(JobId("j"), i));
  }
  ASSERT_TRUE(store->sync(names).ok());
  fs::create_hard_link(folder.path() / "blobs/j-99", folder.path() / "watcher");
  store->remove(names);
  EXPECT_TRUE(fs::is_empty(folder.path() / "blobs"));
  std::ifstream watcher(folder.path() / "watcher", std::ios::binary);
  EXPECT_EQ(std::string((std::istreambuf_iterator<char>(watcher)), std::istreambuf_iterator<char>()),
            std::string(6, '\0'));
}

TEST(InputWiper, takes_all_that_has_come_together_in_one_piece_of_work) {
  const ScratchFolder folder;
  const auto store = BlobStore::open(folder.path() / "blobs");
  ASSERT_TRUE(store.ok());
  std::promise<void> go;
  auto gate = go.get_future().share();
  BackgroundThread thread("wiping", 2, [](const std::string& what) { ADD_FAILURE() << what; });
  InputWiper wiper(*store, thread);
  ASSERT_TRUE(thread.submit([gate] { gate.wait(); }).ok());
  for (std::uint32_t i = 0; i < 50; ++i) {
    ASSERT_TRUE(store->write(JobId("j"), i, bytes_of("x")).ok());
    wiper.wipe(BlobStore::name_of(JobId("j"), i));
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path() / "blobs"), {}), 50) << "the thread is held";
  go.set_value();
  thread.wait_idle();
  EXPECT_TRUE(fs::is_empty(folder.path() / "blobs"));
}

TEST(BlobStore, leftovers_of_a_crash_are_removed_and_the_rest_is_kept) {
  const ScratchFolder folder;
  const auto store = BlobStore::open(folder.path() / "blobs");
  ASSERT_TRUE(store.ok());
  for (std::uint32_t i = 0; i < 3; ++i) ASSERT_TRUE(store->write(JobId("j"), i, bytes_of("x")).ok());
  EXPECT_EQ(store->remove_all_but({"j-1"}), 2u);
  EXPECT_TRUE(store->read(JobId("j"), 1).ok());
  EXPECT_FALSE(store->read(JobId("j"), 0).ok());
}

TEST(BlobStore, a_folder_that_others_may_read_is_refused) {
  const ScratchFolder folder;
  fs::create_directory(folder.path() / "open");
  fs::permissions(folder.path() / "open", fs::perms::owner_all | fs::perms::others_read);
  EXPECT_EQ(BlobStore::open(folder.path() / "open").error().code, ErrorCode::file_unwritable);
}

TEST(BacklogMeter, measures_busy_time_only) {
  BacklogMeter meter;
  SteadyTime now{1h};
  EXPECT_FALSE(meter.seconds_each());
  for (int i = 0; i < 200; ++i) {
    meter.update(now, 1);
    now += 500ms;
    meter.completed(now);
    meter.update(now, 0);
    now += 1h;
  }
  ASSERT_TRUE(meter.seconds_each());
  EXPECT_NEAR(*meter.seconds_each(), 0.5, 0.01);
  EXPECT_NEAR(meter.rate(), 2, 0.05);
}

TEST(BacklogMeter, follows_a_change_of_pace) {
  BacklogMeter meter;
  SteadyTime now{1h};
  meter.update(now, 1);
  for (int i = 0; i < 100; ++i) meter.completed(now += 100ms);
  for (int i = 0; i < 100; ++i) meter.completed(now += 4s);
  EXPECT_NEAR(*meter.seconds_each(), 4, 0.3);
}

TEST(BackgroundThread, refuses_what_does_not_fit_and_finishes_what_was_taken) {
  std::promise<void> gate;
  int done = 0;
  {
    BackgroundThread thread("testing", 2, [](const std::string&) {});
    std::promise<void> begun;
    ASSERT_TRUE(thread
                    .submit([&] {
                      begun.set_value();
                      gate.get_future().wait();
                    })
                    .ok());
    begun.get_future().wait();
    EXPECT_TRUE(thread.submit([&] { ++done; }).ok());
    EXPECT_TRUE(thread.submit([&] { ++done; }).ok());
    EXPECT_EQ(thread.submit([&] { ++done; }).error().code, ErrorCode::overloaded);
    gate.set_value();
  }
  EXPECT_EQ(done, 2);
}

// Fault: a registration that ran out of memory ended the queue.
TEST(BackgroundThread, work_that_throws_is_told_let_go_and_followed_by_the_next) {
  std::string told;
  bool next = false;
  std::weak_ptr<int> held;
  {
    BackgroundThread thread("testing", 2, [&](const std::string& what) { told = what; });
    auto request = std::make_shared<int>(1);
    held = request;
    ASSERT_TRUE(thread.submit([request = std::move(request)] { throw std::bad_alloc(); }).ok());
    thread.wait_idle();
    EXPECT_TRUE(held.expired()) << "what the work held is released";
    ASSERT_TRUE(thread.submit([&] { next = true; }).ok());
  }
  EXPECT_TRUE(next);
  EXPECT_EQ(told.rfind("a piece of testing work has failed", 0), 0u) << told;
}

TEST(IntakeBudget, counts_bodies_until_they_are_gone_and_takes_one_alone_however_large) {
  IntakeBudget budget(100);
  {
    auto large = budget.take(1000);
    ASSERT_TRUE(large.ok());
    EXPECT_EQ(budget.take(1).error().code, ErrorCode::overloaded);
    const IntakeBudget::Lease moved = std::move(large).value();
    EXPECT_FALSE(budget.take(1).ok()) << "moved, not given back";
  }
  const SecretBody job(std::string(60, 'x'), budget.take(60).value());
  {
    const SecretBody circuit(std::string(40, 'x'), budget.take(40).value());
    EXPECT_FALSE(budget.take(1).ok());
  }
  EXPECT_TRUE(budget.take(40).ok());
  EXPECT_FALSE(budget.take(41).ok());
  EXPECT_FALSE(budget.take(~std::uint64_t{0}).ok());
}

class LastAnswer final : public runtime::Responder {
 public:
  void send(runtime::HttpResponse response) override { last = std::move(response); }
  void begin_events(std::string) override {}
  bool write_event(std::string_view, std::string_view) override { return false; }
  void end_events() override {}
  [[nodiscard]] bool connected() const override { return true; }
  runtime::HttpResponse last;
};

// Fault: only a refused submission said when to come back.
TEST(Answers, every_refusal_that_time_heals_says_when_to_come_back) {
  telemetry::Metrics metrics(telemetry::Service::queue, "v", "c", "");
  Answers answers(metrics);
  const auto responder = std::make_shared<LastAnswer>();
  const auto retry_after = [&](ErrorCode code) {
    answers.refuse(responder, Error{.code = code, .what = "no"});
    std::string found;
    for (const auto& [name, value] : responder->last.headers)
      if (name == "Retry-After") found = value;
    return found;
  };
  EXPECT_EQ(retry_after(ErrorCode::overloaded), "1");
  answers.set_retry_after(42s);
  EXPECT_EQ(retry_after(ErrorCode::overloaded), "42");
  EXPECT_EQ(responder->last.status, 429);
  EXPECT_EQ(retry_after(ErrorCode::draining), "42");
  EXPECT_EQ(responder->last.status, 503);
  EXPECT_EQ(retry_after(ErrorCode::bad_request), "");
}

TEST(Settings, a_bind_beyond_loopback_needs_an_api_key) {
  Settings settings;
  EXPECT_TRUE(check(settings).ok());
  settings.http = "0.0.0.0:7780";
  EXPECT_EQ(check(settings).error().code, ErrorCode::bad_request);
  settings.api_key = "0123456789abcdef";
  EXPECT_TRUE(check(settings).ok());
}

TEST(Settings, contradictions_are_named) {
  Settings lease;
  lease.lease_timeout = 1s;
  EXPECT_EQ(check(lease).error().code, ErrorCode::bad_request);
  Settings beats;
  beats.heartbeat_timeout = beats.heartbeat_interval;
  EXPECT_EQ(check(beats).error().code, ErrorCode::bad_request);
  Settings nowhere;
  nowhere.bind = " , ";
  EXPECT_EQ(check(nowhere).error().code, ErrorCode::bad_request);
  Settings nameless;
  nameless.name = "../queue";
  EXPECT_EQ(check(nameless).error().code, ErrorCode::bad_request);
}

}  // namespace
}  // namespace penstock::queue::test
