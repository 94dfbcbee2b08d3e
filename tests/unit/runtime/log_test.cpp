#include "common/runtime/log.hpp"

#include <gmock/gmock.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace penstock::runtime {
namespace {

/// What the log says on stderr.
template <class Say>
std::string said(const std::string& level, const std::string& format, Say say) {
  testing::internal::CaptureStderr();
  say(*make_logger("penstock-test", level, format).value());
  return testing::internal::GetCapturedStderr();
}

TEST(Log, a_json_line_is_json_whatever_the_message_holds) {
  const std::string message = "a \"quote\", a \\, a\nline break, a tab\t and \x01";
  const std::string line = said("info", "json", [&](spdlog::logger& log) { log.warn(message); });
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
  const auto json = nlohmann::json::parse(line);
  EXPECT_EQ(json["message"], message);
  EXPECT_EQ(json["service"], "penstock-test");
  EXPECT_EQ(json["level"], "warning");
  EXPECT_TRUE(json.contains("time"));
}

TEST(Log, a_text_line_is_one_line) {
  const std::string line =
      said("info", "text", [](spdlog::logger& log) { log.info("job {}\nforged line", 7); });
  EXPECT_THAT(line, testing::EndsWith(" info penstock-test: job 7 forged line\n"));
}

TEST(Log, leaves_out_what_is_below_its_level) {
  EXPECT_EQ(said("error", "text", [](spdlog::logger& log) { log.info("quiet"); }), "");
  EXPECT_EQ(said("off", "text", [](spdlog::logger& log) { log.critical("quiet"); }), "");
}

TEST(Log, levels_and_formats_that_are_none_are_refused) {
  EXPECT_EQ(make_logger("x", "loud", "text").error().code, ErrorCode::bad_request);
  EXPECT_EQ(make_logger("x", "info", "xml").error().code, ErrorCode::bad_request);
}

}  // namespace
}  // namespace penstock::runtime
