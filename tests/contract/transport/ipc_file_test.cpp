// What is particular to ipc:// and to addresses: files that stay behind, paths too long, words that are no
// address.
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "common/wire/message_loop.hpp"

namespace penstock::wire {
namespace {

class IpcFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "penstock-ipc-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  Result<RouterSocket*> bind(const std::string& address) {
    return loop_.bind_router({address}, [](const PeerId&, const Message&) {});
  }

  std::filesystem::path folder_;
  MessageLoop loop_{MessageLoop::make_context()};
};

TEST_F(IpcFile, a_stale_socket_file_is_replaced) {
  const std::string path = folder_ / "stale.sock";
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ::close(fd);  // as after kill -9: the file stays
  ASSERT_TRUE(std::filesystem::exists(path));
  const auto bound = bind("ipc://" + path);
  ASSERT_TRUE(bound.ok()) << to_string(bound.error());
}

TEST_F(IpcFile, only_its_user_may_connect) {
  const std::string path = folder_ / "private.sock";
  ASSERT_TRUE(bind("ipc://" + path).ok());
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

// Fault: ZeroMQ leaves the file behind, and a stopped cluster's folder was full of them.
TEST_F(IpcFile, a_closed_socket_takes_its_file_with_it_and_nobody_elses) {
  const std::string path = folder_ / "closed.sock";
  const auto first = bind("ipc://" + path);
  ASSERT_TRUE(first.ok());
  std::filesystem::remove(path);
  MessageLoop other{MessageLoop::make_context()};
  const auto second = other.bind_router({"ipc://" + path}, [](const PeerId&, const Message&) {});
  ASSERT_TRUE(second.ok()) << to_string(second.error());
  loop_.close(*first);
  EXPECT_TRUE(std::filesystem::exists(path)) << "it is the second's";
  other.close(*second);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(IpcFile, a_file_that_is_no_socket_is_not_touched) {
  const std::string path = folder_ / "notes.txt";
  std::ofstream(path) << "precious";
  const auto bound = bind("ipc://" + path);
  ASSERT_FALSE(bound.ok());
  EXPECT_EQ(bound.error().code, ErrorCode::conflict);
  EXPECT_EQ(std::filesystem::file_size(path), 8u);
}

TEST_F(IpcFile, a_path_too_long_for_a_unix_socket_is_named) {
  const auto bound = bind("ipc://" + (folder_ / std::string(100, 'x')).string());
  ASSERT_FALSE(bound.ok());
  EXPECT_EQ(bound.error().code, ErrorCode::bad_request);
  EXPECT_THAT(bound.error().what, testing::HasSubstr("107"));
}

TEST_F(IpcFile, a_folder_that_is_missing_is_an_error) {
  const auto bound = bind("ipc://" + (folder_ / "no" / "such.sock").string());
  ASSERT_FALSE(bound.ok());
  EXPECT_EQ(bound.error().code, ErrorCode::bad_request);
}

TEST_F(IpcFile, words_that_are_no_address_are_refused) {
  for (const char* address :
       {"", "tcp://", "tcp://127.0.0.1", "udp://1.2.3.4:5", "ipc://", "inproc://", "127.0.0.1:7700"}) {
    EXPECT_EQ(bind(address).error().code, ErrorCode::bad_request) << address;
    EXPECT_EQ(loop_.connect_dealer(address, "id", [](const Message&) {}).error().code, ErrorCode::bad_request)
        << address;
  }
  EXPECT_FALSE(bind("tcp://127.0.0.1:99999").ok());
  EXPECT_FALSE(loop_.connect_dealer("tcp://127.0.0.1:1", "", [](const Message&) {}).ok());
  EXPECT_FALSE(loop_.connect_dealer("tcp://127.0.0.1:1", std::string(256, 'i'), [](const Message&) {}).ok());
}

TEST_F(IpcFile, several_addresses_are_bound_and_told_with_their_real_ports) {
  const std::string ipc = "ipc://" + (folder_ / "a.sock").string();
  const auto bound = loop_.bind_router({ipc, "tcp://127.0.0.1:0", "tcp://127.0.0.1:*"},
                                       [](const PeerId&, const Message&) {});
  ASSERT_TRUE(bound.ok()) << to_string(bound.error());
  const auto& endpoints = bound.value()->endpoints();
  ASSERT_EQ(endpoints.size(), 3u);
  EXPECT_EQ(endpoints[0], ipc);
  EXPECT_THAT(endpoints[1], testing::MatchesRegex("tcp://127.0.0.1:[1-9][0-9]+"));
  EXPECT_NE(endpoints[1], endpoints[2]);
}

}  // namespace
}  // namespace penstock::wire
