#include "services/cli/option_checks.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "common/runtime/address.hpp"

namespace penstock::cli {

CLI::Validator seconds_between(double least, double most) {
  return {[least, most](std::string& text) -> std::string {
            double value = 0;
            const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
            const bool number = failed == std::errc() && end == text.data() + text.size();
            if (number && value >= least && value <= most) return {};
            return fmt::format("'{}' is not a number of seconds from {} to {}", text, least, most);
          },
          fmt::format("{} to {}", least, most)};
}

CLI::Validator host_and_port() {
  return {[](std::string& text) -> std::string {
            if (const auto parsed = runtime::parse_address_port(text); !parsed) return parsed.error().what;
            return {};
          },
          "HOST:PORT"};
}

void check_queue_url(const std::string& url) {
  std::string_view host = url;
  for (const std::string_view scheme : {"http://", "https://"})
    if (host.starts_with(scheme)) host.remove_prefix(scheme.size());
  const bool is_host = !host.empty() && host.front() != '/' && host.front() != ':';
  if (is_host && host.find("://") == std::string_view::npos) return;
  throw CLI::ValidationError("--url", "'" + url + "' is not the address of a queue: http://HOST[:PORT]");
}

}  // namespace penstock::cli
