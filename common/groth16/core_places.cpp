#include "common/groth16/core_places.hpp"

#include <hwloc.h>

#include <pthread.h>
#include <sched.h>

#include <climits>
#include <memory>

namespace penstock::groth16 {
namespace {

struct Destroy {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
  void operator()(hwloc_bitmap_s* bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Topology = std::unique_ptr<hwloc_topology, Destroy>;
using Bitmap = std::unique_ptr<hwloc_bitmap_s, Destroy>;

Topology load(const char* synthetic) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  Topology topology(raw);
  if (synthetic != nullptr && hwloc_topology_set_synthetic(raw, synthetic) != 0) return nullptr;
  if (hwloc_topology_load(raw) != 0) return nullptr;
  return topology;
}

/// This machine, narrowed to what the affinity mask allows.
Topology load_allowed() {
  Topology topology = load(nullptr);
  const Bitmap allowed(hwloc_bitmap_alloc());
  if (topology == nullptr || allowed == nullptr) return nullptr;
  if (hwloc_get_cpubind(topology.get(), allowed.get(), HWLOC_CPUBIND_PROCESS) == 0 &&
      hwloc_topology_restrict(topology.get(), allowed.get(), 0) != 0)
    return nullptr;
  return topology;
}

std::vector<int> places_in(hwloc_topology_t topology, int threads) {
  const int processors = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
  if (threads <= 0 || processors < threads) return {};
  std::vector<hwloc_bitmap_t> sets(static_cast<std::size_t>(threads));
  hwloc_obj_t root = hwloc_get_root_obj(topology);
  if (hwloc_distrib(topology, &root, 1, sets.data(), static_cast<unsigned>(threads), INT_MAX, 0) != 0)
    return {};
  std::vector<int> places;
  for (hwloc_bitmap_t set : sets) {
    places.push_back(hwloc_bitmap_first(set));
    hwloc_bitmap_free(set);
  }
  return places;
}

}  // namespace

std::vector<int> core_places(int threads) {
  const Topology topology = load_allowed();
  return topology == nullptr ? std::vector<int>() : places_in(topology.get(), threads);
}

std::vector<int> core_places_of(const std::string& synthetic, int threads) {
  const Topology topology = load(synthetic.c_str());
  return topology == nullptr ? std::vector<int>() : places_in(topology.get(), threads);
}

bool pin_this_thread(int processor) {
  cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(processor) + 1);
  if (set == nullptr) return false;
  const std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(processor) + 1);
  CPU_ZERO_S(size, set);
  CPU_SET_S(static_cast<std::size_t>(processor), size, set);
  const bool done = ::pthread_setaffinity_np(::pthread_self(), size, set) == 0;
  CPU_FREE(set);
  return done;
}

bool interleave_memory() {
  const Topology topology = load_allowed();
  if (topology == nullptr) return false;
  if (hwloc_get_nbobjs_by_type(topology.get(), HWLOC_OBJ_NUMANODE) < 2) return true;
  // Of the thread: Linux has no policy of a process, but threads inherit theirs.
  return hwloc_set_membind(topology.get(), hwloc_topology_get_allowed_nodeset(topology.get()),
                           HWLOC_MEMBIND_INTERLEAVE, HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET) == 0;
}

}  // namespace penstock::groth16
