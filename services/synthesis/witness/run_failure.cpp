// What a runner's `failed` frame means to the user.
#include <array>
#include <cstring>
#include <string>
#include <string_view>

#include "services/synthesis/witness/witness_run.hpp"

namespace penstock::synthesis {
namespace {

using protocol::FailureKind;

/// The program's own lines ("Error in template Check_3 line: 12"), made one line of printable text.
std::string clean(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      if (!out.empty() && out.back() != ' ') out += "; ";
    } else {
      out += c >= 0x20 && c < 0x7f ? c : '?';
    }
  }
  while (out.ends_with("; ")) out.resize(out.size() - 2);
  return out;
}

struct CircomException {
  ErrorCode code;
  std::string_view what;
};
// By circom's number, 1 to 6 (the order of its exceptionHandler).
constexpr std::array<CircomException, 6> circom_exceptions = {{
    {ErrorCode::signal_surplus, "the program does not know an input signal"},
    {ErrorCode::signal_surplus, "too many input signals were set"},
    {ErrorCode::signal_surplus, "an input signal was set twice"},
    {ErrorCode::assert_failed, "an assert of the circuit does not hold for this input"},
    {ErrorCode::memory_limit, "the program has not enough memory"},
    {ErrorCode::signal_surplus, "an input signal has more values than the circuit wants"},
}};

Error of_exception(std::uint32_t number, const std::string& text) {
  CircomException meaning{ErrorCode::assert_failed,
                          "the program raised an exception that circom does not document"};
  if (number >= 1 && number <= circom_exceptions.size()) meaning = circom_exceptions[number - 1];
  return {meaning.code, std::string(meaning.what) + (text.empty() ? "" : ": " + text),
          meaning.code == ErrorCode::assert_failed ? "the input does not satisfy the circuit" : ""};
}

}  // namespace

Error error_of(std::span<const std::byte> failed, std::optional<FailureKind>& kind) {
  protocol::FailureHeader header;
  if (failed.size() < sizeof(header)) return {ErrorCode::bad_format, "the witness program broke its runner"};
  std::memcpy(&header, failed.data(), sizeof(header));
  const auto tail =
      failed.subspan(sizeof(header))
          .first(std::min<std::size_t>(failed.size() - sizeof(header), protocol::max_failure_text));
  const std::string text = clean({reinterpret_cast<const char*>(tail.data()), tail.size()});
  kind = header.kind;
  switch (header.kind) {
    case FailureKind::exception:
      return of_exception(header.detail, text);
    case FailureKind::trap:
      return {ErrorCode::bad_format, "the witness program trapped: " + text};
    case FailureKind::memory:
      return {ErrorCode::memory_limit, "the witness program wants more memory than its limit",
              "raise the memory limit, or split the circuit"};
    case FailureKind::stack:
      return {ErrorCode::memory_limit, "the witness program used up its call stack"};
    case FailureKind::unusable:
      return {ErrorCode::bad_format, "the witness program cannot be used: " + text};
    case FailureKind::compiler:
      return {ErrorCode::internal, "the witness program cannot be compiled: " + text};
    case FailureKind::no_compiler:
      return {ErrorCode::not_found, "the witness program cannot be compiled here: " + text,
              "install the packages wabt and gcc"};
  }
  return {ErrorCode::bad_format, "the witness program broke its runner"};
}

}  // namespace penstock::synthesis
