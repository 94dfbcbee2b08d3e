#include "services/synthesis/witness/runner/channel.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace penstock::synthesis::runner {
namespace {

void read_all(std::span<std::byte> into) {
  while (!into.empty()) {
    const ssize_t got = ::read(protocol::channel_descriptor, into.data(), into.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) leave(0);
    into = into.subspan(static_cast<std::size_t>(got));
  }
}

void write_all(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(protocol::channel_descriptor, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) leave(0);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

}  // namespace

void leave(int status) {
  ::_exit(status);
}

Frame read_frame() {
  protocol::FrameHeader header;
  read_all(std::as_writable_bytes(std::span(&header, 1)));
  if (header.size_bytes > protocol::max_frame_bytes) leave(1);
  Frame frame{static_cast<protocol::FrameKind>(header.kind), std::vector<std::byte>(header.size_bytes)};
  read_all(frame.payload);
  return frame;
}

void write_frame(protocol::FrameKind kind, std::span<const std::byte> payload) {
  const protocol::FrameHeader header{static_cast<std::uint32_t>(kind),
                                     static_cast<std::uint32_t>(payload.size())};
  write_all(std::as_bytes(std::span(&header, 1)));
  write_all(payload);
}

void fail(protocol::FailureKind kind, std::uint32_t detail, std::string_view text) {
  // No allocation and little stack: this also reports that either has run out.
  static std::byte payload[sizeof(protocol::FailureHeader) + protocol::max_failure_text];
  const protocol::FailureHeader header{kind, detail};
  const std::size_t size = std::min<std::size_t>(text.size(), protocol::max_failure_text);
  std::memcpy(payload, &header, sizeof(header));
  std::memcpy(payload + sizeof(header), text.data(), size);
  write_frame(protocol::FrameKind::failed, std::span(payload, sizeof(header) + size));
  leave(1);
}

}  // namespace penstock::synthesis::runner
