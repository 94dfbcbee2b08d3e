#include "tests/unit/runtime/raw_client.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace penstock::runtime::test {
namespace {

constexpr int patience_seconds = 60;

}  // namespace

RawClient::RawClient(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval patience{patience_seconds, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  EXPECT_EQ(::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
}

RawClient::RawClient(RawClient&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), buffer_(std::move(other.buffer_)) {}

RawClient::~RawClient() {
  if (fd_ >= 0) ::close(fd_);
}

bool RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool RawClient::read_more() {
  char bytes[16384];
  const ssize_t size = ::recv(fd_, bytes, sizeof bytes, 0);
  EXPECT_FALSE(size < 0 && errno == EAGAIN) << "nothing came for " << patience_seconds << " s";
  if (size <= 0) return false;
  buffer_.append(bytes, static_cast<std::size_t>(size));
  return true;
}

std::string RawClient::read_until(std::string_view text) {
  while (buffer_.find(text) == std::string::npos)
    if (!read_more()) return std::exchange(buffer_, {});
  const std::size_t end = buffer_.find(text) + text.size();
  std::string out = buffer_.substr(0, end);
  buffer_.erase(0, end);
  return out;
}

RawResponse RawClient::read_head_only() {
  RawResponse out;
  out.head = read_until("\r\n\r\n");
  if (out.head.starts_with("HTTP/1.1 ")) out.status = std::atoi(out.head.c_str() + 9);
  return out;
}

RawResponse RawClient::read_response() {
  RawResponse out = read_head_only();
  const std::size_t field = out.head.find("Content-Length: ");
  if (field == std::string::npos) return out;
  const auto size = static_cast<std::size_t>(std::atoll(out.head.c_str() + field + 16));
  while (buffer_.size() < size && read_more()) continue;
  out.body = buffer_.substr(0, size);
  buffer_.erase(0, std::min(size, buffer_.size()));
  return out;
}

std::string RawClient::read_to_end() {
  while (read_more()) continue;
  return std::exchange(buffer_, {});
}

void RawClient::half_close() {
  ::shutdown(fd_, SHUT_WR);
}

void RawClient::abort() {
  const linger now{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  ::close(std::exchange(fd_, -1));
}

std::string get_text(std::string_view path) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: x\r\n\r\n";
}

RawResponse get(std::uint16_t port, std::string_view path) {
  RawClient client(port);
  client.send(get_text(path));
  return client.read_response();
}

}  // namespace penstock::runtime::test
