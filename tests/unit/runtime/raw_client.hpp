// A blocking HTTP client made of plain socket calls: it can be as rude as a test needs.
// Every wait is bounded; what runs out of patience fails the test.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace penstock::runtime::test {

struct RawResponse {
  int status = 0;  ///< 0: the connection ended before a response
  std::string head, body;
};

class RawClient {
 public:
  explicit RawClient(std::uint16_t port);
  RawClient(RawClient&& other) noexcept;
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  ~RawClient();

  /// False when the other end does not take it (any more).
  bool send(std::string_view bytes);
  /// One response with a Content-Length; `without_body` for HEAD.
  RawResponse read_response();
  RawResponse read_head_only();
  /// Reads until `text` has been seen, returns all that was read so far and has not been consumed.
  std::string read_until(std::string_view text);
  /// All until the other end closes.
  std::string read_to_end();
  void half_close();
  /// Closes with a reset.
  void abort();

 private:
  bool read_more();
  int fd_ = -1;
  std::string buffer_;
};

/// A GET on a fresh connection, closed afterwards.
[[nodiscard]] RawResponse get(std::uint16_t port, std::string_view path);
[[nodiscard]] std::string get_text(std::string_view path);

}  // namespace penstock::runtime::test
