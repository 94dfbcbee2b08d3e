#include "common/base/error.hpp"

#include <algorithm>
#include <utility>

namespace penstock {
namespace {

std::string on_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return text;
}

}  // namespace

std::optional<ErrorCode> error_code_from(std::string_view label) {
  const auto* found = std::find(error_code_names.begin(), error_code_names.end(), label);
  if (found == error_code_names.end()) return std::nullopt;
  return static_cast<ErrorCode>(found - error_code_names.begin());
}

Error Error::in(std::string_view path) && {
  if (file.empty()) file = path;
  return std::move(*this);
}

std::string to_string(const Error& error) {
  std::string line = "error[" + std::string(name(error.code)) + "]";
  if (!error.file.empty()) line += " " + error.file;
  if (error.offset) line += "@" + std::to_string(*error.offset);
  line += ": " + error.what;
  if (!error.hint.empty()) line += "; " + error.hint;
  return on_one_line(std::move(line));
}

int exit_status(ErrorCode code) {
  switch (code) {
    case ErrorCode::internal:
    case ErrorCode::out_of_memory:
    case ErrorCode::device_unavailable:
      return 3;
    case ErrorCode::bad_request:
      return 2;
    default:
      return 1;
  }
}

}  // namespace penstock
