// Core dumps, folders in memory, the host's name.
#include "common/runtime/process.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/ids.hpp"

namespace penstock::runtime {
namespace {

TEST(Process, forbids_core_dumps_for_itself_and_its_children) {
  const pid_t child = fork();
  if (child == 0) {
    forbid_core_dumps();
    rlimit limit{};
    getrlimit(RLIMIT_CORE, &limit);
    _exit(limit.rlim_cur == 0 && limit.rlim_max == 0 && prctl(PR_GET_DUMPABLE) == 0 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(Process, a_folder_in_memory_is_told_from_one_on_a_disk) {
  EXPECT_TRUE(check_in_memory("/dev/shm/some.arena").ok());
  const Status disk = check_in_memory("/proc/some.arena");  // neither memory nor a place for files
  ASSERT_FALSE(disk.ok());
  EXPECT_EQ(disk.error().code, ErrorCode::bad_request);
  EXPECT_NE(disk.error().hint.find("tmpfs"), std::string::npos);
  EXPECT_FALSE(check_in_memory("/no/such/folder/some.arena").ok());
}

TEST(Process, the_hosts_name_can_name_a_worker) {
  EXPECT_TRUE(is_safe_name(host_name())) << host_name();
}

}  // namespace
}  // namespace penstock::runtime
