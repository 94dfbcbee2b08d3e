#include "services/synthesis/witness/runner/engine.hpp"
#include "services/synthesis/witness/runner/fail.hpp"

namespace penstock::synthesis::runner {

std::string Host::read_message() {
  static constexpr std::size_t longest = 1024;
  std::string line;
  for (std::uint32_t c = engine_->message_char(); c != 0 && line.size() < longest;
       c = engine_->message_char())
    line += static_cast<char>(c);
  return line;
}

void Host::exception(std::uint32_t code) {
  fail(protocol::FailureKind::exception, code, errors_);
}

void Host::print_error() {
  const std::string line = read_message();
  if (errors_.size() + line.size() < protocol::max_failure_text) errors_ += line + "\n";
}

void Host::write_message() {
  static_cast<void>(read_message());
}

}  // namespace penstock::synthesis::runner
