#include "common/runtime/address.hpp"

#include <gtest/gtest.h>

namespace penstock::runtime {
namespace {

TEST(AddressPort, is_read_as_people_write_it) {
  EXPECT_EQ(parse_address_port("127.0.0.1:7780")->port, 7780);
  EXPECT_EQ(parse_address_port("[::1]:0")->address, "::1");
  EXPECT_EQ(parse_address_port("localhost:65535")->address, "localhost");
  for (const char* bad :
       {"", ":", ":1", "host", "host:", "host:x", "host:65536", "host:-1", "::1:80", "host:1 "})
    EXPECT_EQ(parse_address_port(bad).error().code, ErrorCode::bad_request) << bad;
}

TEST(AddressPort, knows_what_stays_on_this_machine) {
  for (const char* address : {"127.0.0.1", "127.8.9.1", "::1", "localhost"})
    EXPECT_TRUE(is_loopback(address)) << address;
  for (const char* address :
       {"0.0.0.0", "::", "10.0.0.1", "", "127.0.0.1.example.com", "127.0.0.1@example.com", "127.",
        "127.0.0.1 ", "localhost.example.com", "::1.example.com"})
    EXPECT_FALSE(is_loopback(address)) << address;
  using namespace std::string_view_literals;
  EXPECT_FALSE(is_loopback("127.0.0.1\0.example.com"sv));
}

}  // namespace
}  // namespace penstock::runtime
