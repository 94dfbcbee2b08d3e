// Server-sent events from a byte stream cut anywhere: lines "event:" and "data:", an empty line ends one.
// Threads: one. Bounded: a line above the limit ends the stream.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace penstock::cli {

class SseParser {
 public:
  using OnEvent = std::function<bool(const std::string& event, const std::string& data)>;
  explicit SseParser(OnEvent on_event) : on_event_(std::move(on_event)) {}

  /// False when on_event asked to end, or when the stream is no event stream.
  [[nodiscard]] bool feed(std::string_view bytes) {
    for (const char c : bytes) {
      if (c == '\r') continue;
      if (c != '\n') {
        if (line_.size() >= max_line_bytes) return false;
        line_ += c;
      } else if (!end_line()) {
        return false;
      }
    }
    return true;
  }

 private:
  static constexpr std::size_t max_line_bytes = std::size_t{64} << 20;

  [[nodiscard]] bool end_line() {
    const std::string line = std::move(line_);
    line_.clear();
    if (line.empty()) return dispatch();
    if (line.starts_with("event:")) event_ = value_of(line, 6);
    if (line.starts_with("data:")) data_ += (data_.empty() ? "" : "\n") + value_of(line, 5);
    return true;
  }
  [[nodiscard]] bool dispatch() {
    if (data_.empty() && event_.empty()) return true;
    const std::string event = event_.empty() ? "message" : std::move(event_);
    const std::string data = std::move(data_);
    event_.clear();
    data_.clear();
    return on_event_(event, data);
  }
  static std::string value_of(const std::string& line, std::size_t prefix) {
    return line.substr(line.size() > prefix && line[prefix] == ' ' ? prefix + 1 : prefix);
  }

  OnEvent on_event_;
  std::string line_, event_, data_;
};

}  // namespace penstock::cli
