// The two filters of sandbox.hpp, as classic BPF over the kernel's seccomp_data: no library is needed for it.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "services/synthesis/witness/runner/channel.hpp"
#include "services/synthesis/witness/runner/sandbox.hpp"

namespace penstock::synthesis::runner {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t native_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t native_architecture = AUDIT_ARCH_AARCH64;
#else
#error "add this machine's AUDIT_ARCH_* here"
#endif
/// The x32 calls of an x86-64 kernel, which would slip past a list of numbers.
constexpr std::uint32_t x32_bit = 0x40000000;

// What malloc, wasm2c's runtime and the channel need once everything is loaded.
constexpr int computing_calls[] = {
    SYS_read,         SYS_write,          SYS_close,       SYS_munmap,    SYS_mremap,        SYS_madvise,
    SYS_brk,          SYS_exit,           SYS_exit_group,  SYS_futex,     SYS_fstat,         SYS_rt_sigaction,
    SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_sigaltstack, SYS_getrandom, SYS_clock_gettime, SYS_gettimeofday,
};
/// Allowed only without PROT_EXEC: no new code.
constexpr int mapping_calls[] = {SYS_mmap, SYS_mprotect};

constexpr int denied_to_compilers[] = {
    SYS_socket,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    SYS_sendto,
    SYS_sendmsg,
    SYS_sendmmsg,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_setns,
    SYS_unshare,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_reboot,
    SYS_io_uring_setup,
    SYS_userfaultfd,
    SYS_open_by_handle_at,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_settimeofday,
};

class FilterBuilder {
 public:
  FilterBuilder() {
    load(offsetof(seccomp_data, arch));
    jump_if(BPF_JEQ, native_architecture, 1, 0);
    answer(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
    jump_if(BPF_JGE, x32_bit, 0, 1);
    answer(SECCOMP_RET_KILL_PROCESS);
  }
  void when(std::span<const int> calls, std::uint32_t verdict) {
    for (const int call : calls) {
      jump_if(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 1);
      answer(verdict);
    }
  }
  /// Allows the calls when their third argument (the protection) lacks PROT_EXEC, kills otherwise.
  void when_not_executable(std::span<const int> calls) {
    for (const int call : calls) {
      jump_if(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 4);
      load(offsetof(seccomp_data, args[2]));  // its low half: little endian
      jump_if(BPF_JSET, PROT_EXEC, 0, 1);
      answer(SECCOMP_RET_KILL_PROCESS);
      answer(SECCOMP_RET_ALLOW);
    }
  }
  void otherwise(std::uint32_t verdict) { answer(verdict); }

  void install() {
    const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
      fail(protocol::FailureKind::unusable, 0,
           std::string("the sandbox cannot be set up: seccomp: ") + std::strerror(errno));
  }

 private:
  void load(std::size_t offset) {
    code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  void jump_if(std::uint16_t comparison, std::uint32_t value, std::uint8_t yes, std::uint8_t no) {
    code_.push_back(BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | comparison | BPF_K), value, yes, no));
  }
  void answer(std::uint32_t verdict) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, verdict)); }
  std::vector<sock_filter> code_;
};

}  // namespace

void allow_computing_only() {
  ::prctl(PR_SET_DUMPABLE, 0);  // no debugger and no /proc/PID/mem: the memory holds inputs
  FilterBuilder filter;
  filter.when(computing_calls, SECCOMP_RET_ALLOW);
  filter.when_not_executable(mapping_calls);
  filter.otherwise(SECCOMP_RET_KILL_PROCESS);
  filter.install();
}

void deny_network_and_system() {
  FilterBuilder filter;
  filter.when(denied_to_compilers, SECCOMP_RET_ERRNO | EPERM);
  filter.otherwise(SECCOMP_RET_ALLOW);
  filter.install();
}

}  // namespace penstock::synthesis::runner
