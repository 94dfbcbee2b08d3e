// Arenas and partitions that do not fit them.
#include "services/queue/worker_pool.hpp"

#include <gtest/gtest.h>

#include "common/circuit/packed_witness.hpp"

namespace penstock::queue {
namespace {

wire::Hello hello(wire::WorkerKind kind, const std::string& name, std::uint64_t arena_bytes = 0) {
  wire::Hello hello;
  hello.kind = kind;
  hello.name = WorkerName(name);
  hello.incarnation = Incarnation("one");
  hello.host_id = "here";
  hello.credits = 4;
  hello.arena_bytes = arena_bytes;
  return hello;
}

wire::CircuitRef circuit(std::uint32_t variables) {
  wire::CircuitRef ref;
  ref.name = "big";
  ref.variables = variables;
  return ref;
}

TEST(WorkerPool, a_partition_takes_what_the_encoder_may_write) {
  for (const std::uint32_t variables : {1U, 1023U, 1024U, 1025U, 1'000'000U})
    EXPECT_EQ(slab_bytes_of(circuit(variables)), circuit::packed_size_bound(variables));
}

TEST(WorkerPool, a_circuit_larger_than_every_arena_is_known_before_it_is_admitted) {
  WorkerPool pool;
  EXPECT_FALSE(pool.largest_arena_if_too_small(circuit(1'000'000))) << "nobody is there: it may still come";
  pool.join(hello(wire::WorkerKind::gpu, "small", 1 << 20), {});
  pool.join(hello(wire::WorkerKind::gpu, "medium", 2 << 20), {});
  EXPECT_EQ(pool.largest_arena_if_too_small(circuit(1'000'000)), std::uint64_t{2 << 20});
  EXPECT_FALSE(pool.largest_arena_if_too_small(circuit(60'000)));
  pool.join(hello(wire::WorkerKind::gpu, "large", 1 << 30), {});
  EXPECT_FALSE(pool.largest_arena_if_too_small(circuit(1'000'000)));
}

TEST(WorkerPool, a_partition_goes_where_it_fits_even_if_that_service_has_more_to_do) {
  WorkerPool pool;
  pool.join(hello(wire::WorkerKind::synthesis, "s"), {});
  pool.join(hello(wire::WorkerKind::gpu, "a-small", 1 << 20), {});
  pool.join(hello(wire::WorkerKind::gpu, "large", 1 << 30), {});
  pool.join(hello(wire::WorkerKind::gpu, "z-small", 1 << 20), {});
  pool.hold("large/one", FencingToken{1}, {});
  ASSERT_TRUE(pool.choose(circuit(1'000'000)));
  EXPECT_EQ(pool.choose(circuit(1'000'000))->gpu, "large/one");
  EXPECT_EQ(pool.choose(circuit(10))->gpu, "a-small/one");
  pool.remove("large/one");
  EXPECT_TRUE(pool.choose(circuit(1'000'000))) << "to be refused by name rather than to wait for ever";
}

}  // namespace
}  // namespace penstock::queue
