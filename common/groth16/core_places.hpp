// Which processors the threads of a team keep to: one core each before any core's second hardware thread,
// spread over the sockets and memory nodes, within the process's affinity mask (hwloc_distrib).
// Errors: none; an empty answer means that nobody should be pinned. Cost: reading the topology, milliseconds.
#pragma once

#include <string>
#include <vector>

namespace penstock::groth16 {

/// The operating system's number of the processor for each of `threads` threads; empty when there are fewer
/// processors than threads or the topology cannot be read.
[[nodiscard]] std::vector<int> core_places(int threads);

/// The same on a machine described in hwloc's synthetic notation ("numa:2 core:4 pu:2"), all of it allowed.
[[nodiscard]] std::vector<int> core_places_of(const std::string& synthetic, int threads);

/// Keeps the calling thread on one processor. False where the system refuses.
bool pin_this_thread(int processor);

/// From now on the memory of the calling thread, and of every thread that it starts, is dealt out over the
/// memory nodes page by page, so that no node's controller serves all threads. True when it is, or when the
/// machine has one node.
bool interleave_memory();

}  // namespace penstock::groth16
