// Verbs against a queue that answers as told: what the command line makes of it.
#include <gtest/gtest.h>
#include <httplib.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "services/cli/command_line.hpp"
#include "services/cli/job_watch.hpp"

namespace penstock::cli {
namespace {

class QueueVerbs : public testing::Test {
 protected:
  void SetUp() override {
    port_ = queue_.bind_to_any_port("127.0.0.1");
    ASSERT_GT(port_, 0);
  }
  void TearDown() override {
    queue_.stop();
    if (thread_.joinable()) thread_.join();
    std::fclose(out_);
    std::fclose(err_);
  }
  /// Connections wait in the backlog until the thread listens.
  void serve() {
    thread_ = std::thread([this] { queue_.listen_after_bind(); });
  }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  int run(const std::vector<std::string>& arguments) {
    Environment environment;
    environment.url = url();
    Context context(environment, output_);
    return static_cast<int>(run_command_line(arguments, context));
  }
  static std::string printed(std::FILE* stream) {
    std::rewind(stream);
    std::string text;
    for (int c = std::fgetc(stream); c != EOF; c = std::fgetc(stream)) text += static_cast<char>(c);
    return text;
  }

  httplib::Server queue_;
  int port_ = 0;
  std::thread thread_;
  std::FILE* out_ = std::tmpfile();
  std::FILE* err_ = std::tmpfile();
  Output output_{out_, err_};
};

TEST_F(QueueVerbs, cancel_says_what_the_queue_says) {
  queue_.Delete("/v1/jobs/waiting", [](const auto&, auto& answer) {
    answer.set_content(R"({"id":"waiting","state":"cancelled"})", "application/json");
  });
  queue_.Delete("/v1/jobs/slow", [](const auto&, auto& answer) {
    answer.set_content(R"({"id":"slow","state":"running"})", "application/json");
  });
  queue_.Delete("/v1/jobs/late", [](const auto&, auto& answer) {
    answer.status = 409;
    answer.set_content(R"({"code":"conflict","message":"nothing was cancelled: the job is done","hint":""})",
                       "application/json");
  });
  serve();
  EXPECT_EQ(run({"penstock", "job", "cancel", "waiting"}), 0);
  EXPECT_EQ(printed(out_), "cancelled waiting\n");
  EXPECT_EQ(run({"penstock", "job", "cancel", "slow"}), 1);
  EXPECT_EQ(run({"penstock", "job", "cancel", "late"}), 1);
  EXPECT_EQ(printed(out_), "cancelled waiting\n") << "what was not cancelled is not called so";
  const std::string errors = printed(err_);
  EXPECT_NE(errors.find("it is running"), std::string::npos) << errors;
  EXPECT_NE(errors.find("error[conflict]"), std::string::npos) << errors;
  EXPECT_NE(errors.find("the job is done"), std::string::npos) << errors;
}

/// Fewer descriptors for this process while it lives.
class FewDescriptors {
 public:
  FewDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit few{128, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

// Fault: every input of a job was open, with a buffer of a megabyte, before the first was sent: a thousand
// took seconds and a gigabyte, and one more than there are descriptors could not be sent at all.
TEST_F(QueueVerbs, a_jobs_inputs_are_opened_one_after_the_other) {
  std::string folder = testing::TempDir() + "penstock-parts-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string small(100, 's'), large((std::size_t{2} << 20) + 17, 'l'), none;
  std::ofstream(folder + "/small") << small;
  std::ofstream(folder + "/large") << large;
  std::ofstream(folder + "/none");
  std::vector<std::string> received;
  queue_.Post("/v1/jobs", [&](const auto& request, auto& answer) {
    for (const auto& part : request.files) received.push_back(part.second.content);
    answer.set_content("{}", "application/json");
  });
  serve();
  std::vector<UploadPart> parts(600, {.name = "input", .file = folder + "/small"});
  parts.front().file = folder + "/large";
  parts.back().file = folder + "/none";
  QueueClient client(url(), {});
  const FewDescriptors few;
  const auto answer = client.post_parts("/v1/jobs", parts, {});
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(answer.ok()) << to_string(answer.error());
  ASSERT_EQ(received.size(), 600u);
  EXPECT_EQ(std::count(received.begin(), received.end(), small), 598);
  EXPECT_EQ(std::count(received.begin(), received.end(), large), 1);
  EXPECT_EQ(std::count(received.begin(), received.end(), none), 1);
}

// Fault: a stream that the queue cut was taken up again at once, without end.
TEST_F(QueueVerbs, watch_pauses_before_it_takes_a_broken_stream_up_again) {
  std::atomic<int> streams = 0;
  queue_.Get("/v1/jobs/j/events", [&](const auto&, auto& answer) {
    const char* state = ++streams < 4 ? "running" : "done";
    answer.set_content(std::string("event: job\ndata: {\"id\":\"j\",\"state\":\"") + state + "\"}\n\n",
                       "text/event-stream");
  });
  queue_.Get("/v1/jobs/j", [&](const auto&, auto& answer) {
    const char* state = streams < 4 ? "running" : "done";
    answer.set_content(std::string("{\"id\":\"j\",\"state\":\"") + state + "\"}", "application/json");
  });
  Interruption interruption;  // before the threads: they inherit the blocked signals
  serve();
  QueueClient client(url(), "");
  int pauses = 0;
  const auto job = watch_job(client, "j", interruption, output_, [&] { ++pauses; });
  ASSERT_TRUE(job.ok()) << to_string(job.error());
  EXPECT_EQ((*job)["state"], "done");
  EXPECT_EQ(streams, 4);
  EXPECT_EQ(pauses, 3);
}

}  // namespace
}  // namespace penstock::cli
