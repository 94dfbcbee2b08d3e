#include "services/queue/phase_text.hpp"

#include <charconv>

namespace penstock::queue {

std::string to_text(const telemetry::PhaseTimes& phases) {
  std::string text;
  phases.for_each([&](Phase phase, telemetry::Duration spent) {
    if (!text.empty()) text += ' ';
    text += name(phase);
    text += '=';
    text += std::to_string(spent.count());
  });
  return text;
}

telemetry::PhaseTimes phases_from_text(std::string_view text) {
  telemetry::PhaseTimes phases;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    const std::string_view item = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto equals = item.find('=');
    if (equals == std::string_view::npos) continue;
    const auto phase = phase_from(item.substr(0, equals));
    std::int64_t nanoseconds = 0;
    const char* first = item.data() + equals + 1;
    const char* last = item.data() + item.size();
    if (phase && std::from_chars(first, last, nanoseconds).ptr == last)
      phases.add(*phase, telemetry::Duration(nanoseconds));
  }
  return phases;
}

}  // namespace penstock::queue
