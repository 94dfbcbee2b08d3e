// HOST:PORT as people write it: 127.0.0.1:7780, [::1]:7780, localhost:0. Errors: bad_request.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace penstock::runtime {

struct AddressPort {
  std::string address;  ///< without brackets
  std::uint16_t port = 0;
};

[[nodiscard]] Result<AddressPort> parse_address_port(std::string_view text);
/// True for 127.0.0.0/8, ::1 and localhost: reachable from this machine only.
[[nodiscard]] bool is_loopback(std::string_view address);

}  // namespace penstock::runtime
