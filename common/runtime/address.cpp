#include "common/runtime/address.hpp"

#include <arpa/inet.h>

#include <charconv>

namespace penstock::runtime {

Result<AddressPort> parse_address_port(std::string_view text) {
  const Error bad{.code = ErrorCode::bad_request,
                  .what = "'" + std::string(text) + "' is not HOST:PORT",
                  .hint = "write 127.0.0.1:7780 or [::1]:7780; port 0 takes a free one"};
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return bad;
  std::string_view host = text.substr(0, colon), port = text.substr(colon + 1);
  const bool bracketed = host.front() == '[' && host.back() == ']' && host.size() > 2;
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (!bracketed && host.find(':') != std::string_view::npos) return bad;
  AddressPort out{std::string(host), 0};
  const auto parsed = std::from_chars(port.data(), port.data() + port.size(), out.port);
  if (parsed.ec != std::errc{} || parsed.ptr != port.data() + port.size()) return bad;
  return out;
}

bool is_loopback(std::string_view address) {
  if (address == "localhost" || address == "::1") return true;
  // A whole IPv4 address, not a name that begins like one: 127.0.0.1.example.com leads wherever its owner
  // likes.
  if (address.find('\0') != std::string_view::npos) return false;
  in_addr parsed{};
  return inet_pton(AF_INET, std::string(address).c_str(), &parsed) == 1 && ntohl(parsed.s_addr) >> 24 == 127;
}

}  // namespace penstock::runtime
