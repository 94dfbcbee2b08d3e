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
        continue;
      }
      const bool go_on = end_line();
      line_.clear();
      if (!go_on) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t max_line_bytes = std::size_t{64} << 20;

  [[nodiscard]] bool end_line() {
    if (line_.empty()) return dispatch();
    if (line_.starts_with("event:")) event_.assign(value_from(6));
    if (line_.starts_with("data:")) {
      if (!data_.empty()) data_ += '\n';
      data_ += value_from(5);
    }
    return true;
  }
  [[nodiscard]] bool dispatch() {
    if (data_.empty() && event_.empty()) return true;
    if (event_.empty()) event_ = "message";
    const bool go_on = on_event_(event_, data_);
    event_.clear();
    data_.clear();
    return go_on;
  }
  [[nodiscard]] std::string_view value_from(std::size_t prefix) const {
    const std::string_view value = std::string_view(line_).substr(prefix);
    return value.starts_with(' ') ? value.substr(1) : value;
  }

  OnEvent on_event_;
  std::string line_, event_, data_;
};

}  // namespace penstock::cli
