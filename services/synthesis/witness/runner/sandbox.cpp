#include "services/synthesis/witness/runner/sandbox.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "services/synthesis/witness/runner/channel.hpp"

namespace penstock::synthesis::runner {
namespace {

void require(bool done, const char* what) {
  if (!done)
    fail(protocol::FailureKind::unusable, 0,
         std::string("the sandbox cannot be set up: ") + what + ": " + std::strerror(errno));
}

/// Lowers a limit; one that is lower already stays.
void lower(int resource, std::uint64_t value, const char* what) {
  rlimit now{};
  require(::getrlimit(static_cast<__rlimit_resource>(resource), &now) == 0, what);
  if (now.rlim_max != RLIM_INFINITY && now.rlim_max < value) value = now.rlim_max;
  const rlimit wanted{value, value};
  require(::setrlimit(static_cast<__rlimit_resource>(resource), &wanted) == 0, what);
}

}  // namespace

void confine(const Limits& limits, Lifetime lifetime) {
  // A parent that died before this line is noticed by its end of the channel.
  if (lifetime == Lifetime::with_parent)
    require(::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0, "parent death signal");
  ::syscall(SYS_close_range, protocol::program_descriptor + 1, ~0U, 0U);
  require(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no new privileges");
  lower(RLIMIT_CORE, 0, "core size");
  lower(RLIMIT_NOFILE, limits.descriptors, "descriptors");
  lower(RLIMIT_FSIZE, limits.file_bytes, "file size");
  lower(RLIMIT_DATA, limits.memory_bytes, "memory");
  lower(RLIMIT_AS, limits.address_space_bytes, "address space");
  lower(RLIMIT_CPU, static_cast<std::uint64_t>(limits.cpu.count()), "processor time");
}

void leave_network() {
  // As root directly; otherwise inside a user namespace of its own. Refused by some systems: the filter of
  // system calls stands either way.
  if (::unshare(CLONE_NEWNET) != 0) static_cast<void>(::unshare(CLONE_NEWUSER | CLONE_NEWNET));
}

}  // namespace penstock::synthesis::runner
