#include "common/runtime/log.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdio>

namespace penstock::runtime {
namespace {

/// %* : the message with what would break the line, or a JSON string, escaped.
class EscapedMessage final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm& /*time*/,
              spdlog::memory_buf_t& out) override {
    for (const char c : message.payload) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        out.push_back('\\');
        out.push_back(c);
      } else if (byte < 0x20 || byte == 0x7f) {
        char escape[8];
        const int size = std::snprintf(escape, sizeof escape, "\\u%04x", byte);
        out.append(escape, escape + size);
      } else {
        out.push_back(c);
      }
    }
  }
  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<EscapedMessage>();
  }
};

/// %~ : the message on one line, for people.
class OneLineMessage final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm& /*time*/,
              spdlog::memory_buf_t& out) override {
    for (const char c : message.payload) {
      const auto byte = static_cast<unsigned char>(c);
      out.push_back(byte < 0x20 || byte == 0x7f ? ' ' : c);
    }
  }
  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<OneLineMessage>();
  }
};

constexpr const char* text_pattern = "%Y-%m-%dT%H:%M:%S.%e%z %l %n: %~";
constexpr const char* json_pattern =
    R"({"time":"%Y-%m-%dT%H:%M:%S.%e%z","level":"%l","service":"%n","message":"%*"})";

}  // namespace

Result<std::shared_ptr<spdlog::logger>> make_logger(const std::string& service, const std::string& level,
                                                    const std::string& format) {
  const auto threshold = spdlog::level::from_str(level);
  if (threshold == spdlog::level::off && level != "off")
    return Error{.code = ErrorCode::bad_request,
                 .what = "'" + level + "' is not a log level",
                 .hint = "use trace, debug, info, warn, error or off"};
  if (format != "text" && format != "json")
    return Error{.code = ErrorCode::bad_request,
                 .what = "'" + format + "' is not a log format",
                 .hint = "use text or json"};
  auto pattern = std::make_unique<spdlog::pattern_formatter>();
  pattern->add_flag<EscapedMessage>('*').add_flag<OneLineMessage>('~');
  pattern->set_pattern(format == "json" ? json_pattern : text_pattern);
  auto log = std::make_shared<spdlog::logger>(service, std::make_shared<spdlog::sinks::stderr_sink_mt>());
  log->set_formatter(std::move(pattern));
  log->set_level(threshold);
  log->flush_on(spdlog::level::info);
  return log;
}

}  // namespace penstock::runtime
