// What people and scripts read: errors on one line, JSON with stable keys, events, restart delays.
#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "services/cli/output.hpp"
#include "services/cli/queue_client.hpp"
#include "services/cli/sse_parser.hpp"
#include "services/cli/supervisor/supervisor.hpp"

namespace penstock::cli {
namespace {

/// Two streams in memory.
class Streams {
 public:
  ~Streams() {
    std::fclose(out);
    std::fclose(err);
  }
  std::string printed(std::FILE* stream) {
    std::fflush(stream);
    std::rewind(stream);
    std::string text;
    for (int c = std::fgetc(stream); c != EOF; c = std::fgetc(stream)) text += static_cast<char>(c);
    return text;
  }
  std::FILE* out = std::tmpfile();
  std::FILE* err = std::tmpfile();
};

const Error example{.code = ErrorCode::size_mismatch,
                    .what = "section 9 holds 1 point\nand not 512",
                    .hint = "make the key again",
                    .file = "key.zkey",
                    .offset = 96};

TEST(Output, an_error_is_one_line_with_code_file_offset_and_hint) {
  Streams streams;
  Output(streams.out, streams.err).error(example);
  EXPECT_EQ(streams.printed(streams.err),
            "penstock: error[size_mismatch] key.zkey@96: section 9 holds 1 point and not 512; make the key "
            "again\n");
  EXPECT_EQ(streams.printed(streams.out), "");
}

TEST(Output, with_json_an_error_is_also_one_object_on_stdout) {
  Streams streams;
  Output output(streams.out, streams.err);
  output.use_json();
  output.line("for people");
  output.error(example);
  const auto object = nlohmann::json::parse(streams.printed(streams.out));
  EXPECT_FALSE(object["ok"]);
  EXPECT_EQ(object["error"]["code"], "size_mismatch");
  EXPECT_EQ(object["error"]["offset"], 96);
}

TEST(Output, progress_is_silent_where_stderr_is_no_terminal) {
  Streams streams;
  Output output(streams.out, streams.err);
  output.progress("proving", 0.5);
  output.end_progress();
  EXPECT_EQ(streams.printed(streams.err), "");
}

TEST(Output, durations_and_sizes_have_units) {
  EXPECT_EQ(duration_text(1.5), "1.500 s");
  EXPECT_EQ(duration_text(0.0123), "12.30 ms");
  EXPECT_EQ(duration_text(0.0000042), "4.2 us");
  EXPECT_EQ(size_text(512), "512 B");
  EXPECT_EQ(size_text(std::uint64_t{3} << 20), "3.0 MiB");
}

TEST(SseParser, events_survive_any_cut) {
  const std::string stream = ": hello\n\nevent: job\ndata: {\"a\":\ndata: 1}\n\ndata: plain\r\n\r\n";
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    std::vector<std::pair<std::string, std::string>> events;
    SseParser parser([&](const std::string& event, const std::string& data) {
      events.emplace_back(event, data);
      return true;
    });
    ASSERT_TRUE(parser.feed(stream.substr(0, cut)));
    ASSERT_TRUE(parser.feed(stream.substr(cut)));
    ASSERT_EQ(events.size(), 2u) << cut;
    EXPECT_EQ(events[0], std::pair(std::string("job"), std::string("{\"a\":\n1}")));
    EXPECT_EQ(events[1], std::pair(std::string("message"), std::string("plain")));
  }
}

TEST(SseParser, ends_when_the_reader_has_seen_enough) {
  SseParser parser([](const std::string&, const std::string&) { return false; });
  EXPECT_FALSE(parser.feed("data: x\n\n"));
}

TEST(QueueClient, path_components_are_encoded) {
  EXPECT_EQ(path_component("a/b c%"), "a%2Fb%20c%25");
  EXPECT_EQ(path_component("job-1_2.3~"), "job-1_2.3~");
}

TEST(QueueClient, nothing_at_the_address_is_said_with_a_hint) {
  QueueClient client("http://127.0.0.1:1", "");
  const auto answer = client.get("/v1/status");
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::not_found);
  EXPECT_NE(answer.error().hint.find("penstock up"), std::string::npos);
}

TEST(Supervisor, restarts_back_off_exponentially_up_to_ten_seconds) {
  using std::chrono::milliseconds;
  EXPECT_EQ(restart_delay(0), milliseconds(200));
  EXPECT_EQ(restart_delay(1), milliseconds(400));
  EXPECT_EQ(restart_delay(4), milliseconds(3200));
  EXPECT_EQ(restart_delay(6), milliseconds(10'000));
  EXPECT_EQ(restart_delay(1000), milliseconds(10'000));
}

}  // namespace
}  // namespace penstock::cli
