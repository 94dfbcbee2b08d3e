// What a runner may do. The limits and filters are put on by the runner itself, before it touches the
// program: they cannot be taken off again (no_new_privs, RLIMIT hard limits, seccomp), and children inherit
// them. Errors: a limit or filter that the system refuses ends the process with the reason on the channel.
#pragma once

#include <chrono>
#include <cstdint>

namespace penstock::synthesis::runner {

struct Limits {
  std::uint64_t memory_bytes = 0;
  std::uint64_t address_space_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::chrono::seconds cpu{0};
  std::uint32_t descriptors = 16;
};

/// Closes every inherited descriptor but the protocol's, dies with the parent when asked, no core, no new
/// privileges, resource limits.
enum class Lifetime : std::uint8_t { with_parent, detached };
void confine(const Limits& limits, Lifetime lifetime);

/// Leaves the network behind where the system permits it (its own empty network namespace).
void leave_network();

/// Only computing, memory and the open descriptors are left: no file, no process, no socket, no signal to
/// others. A forbidden call kills the process with SIGSYS.
void allow_computing_only();

/// For compilers: everything but sockets, tracing, mounting, keys, modules and namespaces (EPERM).
void deny_network_and_system();

}  // namespace penstock::synthesis::runner
