// One living holder, whatever the order of deaths and removals.
#include "common/wire/owner_lock.hpp"

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <new>
#include <optional>

namespace penstock::wire {
namespace {

class OwnerLockSuite : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "penstock-lock-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path path() const { return folder_ / "lock"; }
  std::filesystem::path folder_;
};

TEST_F(OwnerLockSuite, a_second_holder_is_refused_by_name_until_the_first_lets_go) {
  std::optional<OwnerLock> first(OwnerLock::take(path(), "the device").value());
  const auto second = OwnerLock::take(path(), "the device");
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::conflict);
  EXPECT_EQ(second.error().what, "the device is in use by process " + std::to_string(getpid()));
  first.reset();
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_TRUE(OwnerLock::take(path(), "the device").ok());
}

TEST_F(OwnerLockSuite, a_killed_holders_file_stands_in_nobodys_way) {
  const pid_t child = fork();
  if (child == 0) {
    const auto lock = OwnerLock::take(path(), "it");
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(std::filesystem::exists(path()));
  EXPECT_TRUE(OwnerLock::take(path(), "it").ok());
}

TEST_F(OwnerLockSuite, a_folder_that_is_not_there_is_said_so) {
  EXPECT_EQ(OwnerLock::take(folder_ / "none" / "lock", "it").error().code, ErrorCode::file_unwritable);
}

/// Whoever takes a file that its holder is just removing must find out.
TEST_F(OwnerLockSuite, processes_that_take_and_let_go_are_never_two_at_once) {
  constexpr int processes = 4, rounds = 300;
  void* shared = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto* inside = new (shared) std::atomic<int>(0);
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      for (int taken = 0; taken < rounds;) {
        const auto lock = OwnerLock::take(path(), "it");
        if (!lock.ok()) continue;
        if (inside->fetch_add(1) != 0) _exit(1);
        inside->fetch_sub(1);
        ++taken;
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  munmap(shared, 4096);
}

}  // namespace
}  // namespace penstock::wire
