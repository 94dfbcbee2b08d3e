// The small parts: API keys, the store of inputs, the backlog meter, background work, the settings.
#include <gtest/gtest.h>

#include <fstream>
#include <future>

#include "services/queue/api_keys.hpp"
#include "services/queue/background_thread.hpp"
#include "services/queue/backlog_meter.hpp"
#include "services/queue/blob_store.hpp"
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

TEST(BlobStore, inputs_are_private_and_come_back_whole) {
  const ScratchFolder folder;
  const auto store = BlobStore::open(folder.path() / "blobs");
  ASSERT_TRUE(store.ok());
  const JobId job("job1");
  ASSERT_TRUE(store->write(job, 7, bytes_of("secret")).ok());
  ASSERT_TRUE(store->sync().ok());
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
  store->remove(JobId("j"), 0);
  store->remove(JobId("j"), 0);
  EXPECT_FALSE(fs::exists(folder.path() / "blobs/j-0"));
  std::ifstream watcher(folder.path() / "watcher", std::ios::binary);
  const std::string left((std::istreambuf_iterator<char>(watcher)), std::istreambuf_iterator<char>());
  EXPECT_EQ(left, std::string(100'000, '\0'));
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
    BackgroundThread thread("testing", 2);
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
