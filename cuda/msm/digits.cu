#include <cub/block/block_scan.cuh>
#include <cub/device/device_radix_sort.cuh>

#include "cuda/msm/msm.hpp"

namespace penstock::msm {
namespace {

constexpr int digit_threads = 256;

struct Modulus {
  std::uint64_t limb[4];
};

/// The smaller of s and r - s; true when it is the latter.
__device__ bool shorten(std::uint64_t (&s)[4], const Modulus& r) {
  std::uint64_t other[4];
  std::uint64_t borrow = 0;
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t subtrahend = s[i] + borrow;
    const bool wrapped = subtrahend < borrow;
    other[i] = r.limb[i] - subtrahend;
    borrow = (wrapped || r.limb[i] < subtrahend) ? 1 : 0;
  }
  bool smaller = false;
  for (int i = 3; i >= 0; --i) {
    if (other[i] == s[i]) continue;
    smaller = other[i] < s[i];
    break;
  }
  if (smaller)
    for (int i = 0; i < 4; ++i) s[i] = other[i];
  return smaller;
}

__global__ void __launch_bounds__(digit_threads)
    emit_kernel(Plan plan, const Scalar* scalars, Chunk chunk, Modulus modulus, std::uint32_t* keys,
                std::uint32_t* values, std::uint32_t* counter) {
  using Scan = cub::BlockScan<std::uint32_t, digit_threads>;
  __shared__ typename Scan::TempStorage scan_storage;
  __shared__ std::uint32_t block_offset;
  const std::uint64_t place = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
  const std::uint64_t i = chunk.first + place;
  std::uint64_t s[4] = {0, 0, 0, 0};
  bool negative = false;
  if (place < chunk.size) {
    for (int k = 0; k < 4; ++k) s[k] = scalars[i].limb[k];
    negative = shorten(s, modulus);
  }
  std::uint32_t mine = 0, carry = 0;
  for (int j = 0; j < plan.windows; ++j) mine += signed_digit(s, plan.window_bits, j, carry) != 0 ? 1 : 0;
  std::uint32_t before = 0, total = 0;
  Scan(scan_storage).ExclusiveSum(mine, before, total);
  if (threadIdx.x == 0) block_offset = total == 0 ? 0 : atomicAdd(counter, total);
  __syncthreads();
  std::uint32_t at = block_offset + before;
  carry = 0;
  for (int j = 0; j < plan.windows; ++j) {
    const std::int32_t digit = signed_digit(s, plan.window_bits, j, carry);
    if (digit == 0) continue;
    const bool minus = (digit < 0) != negative;
    const auto magnitude = static_cast<std::uint32_t>(digit < 0 ? -digit : digit);
    const auto table = static_cast<std::uint32_t>(j / plan.sets),
               set = static_cast<std::uint32_t>(j % plan.sets);
    keys[at] = set * plan.buckets_per_set() + magnitude - 1;
    values[at] = (minus ? sign_bit : 0) | static_cast<std::uint32_t>(table * chunk.n + i);
    ++at;
  }
}

std::size_t sort_scratch_bytes(std::uint64_t pairs) {
  std::size_t bytes = 0;
  cub::DoubleBuffer<std::uint32_t> keys, values;
  PENSTOCK_CUDA_CHECK(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, values, static_cast<int>(pairs)));
  return bytes;
}

}  // namespace

DigitList make_digit_list(cuda::DeviceHeap& heap, std::uint64_t most_pairs) {
  DigitList list;
  const std::uint64_t pairs = most_pairs == 0 ? 1 : most_pairs;
  for (int k = 0; k < 2; ++k) {
    list.keys[k] = {heap, pairs};
    list.values[k] = {heap, pairs};
  }
  list.sort_scratch = {heap, sort_scratch_bytes(pairs)};
  list.counter = {heap, 1};
  list.count_on_host = cuda::PinnedBuffer<std::uint32_t>(1);
  return list;
}

void emit_digits(const cuda::Stream& stream, const Plan& plan, const Scalar* scalars, const Chunk& chunk,
                 const std::uint64_t (&modulus)[4], DigitList& list) {
  cuda::fill_zero(stream, list.counter.data(), sizeof(std::uint32_t));
  if (chunk.size != 0) {
    const Modulus r = {{modulus[0], modulus[1], modulus[2], modulus[3]}};
    const auto blocks = static_cast<unsigned>((chunk.size + digit_threads - 1) / digit_threads);
    emit_kernel<<<blocks, digit_threads, 0, stream.get()>>>(plan, scalars, chunk, r, list.keys[0].data(),
                                                            list.values[0].data(), list.counter.data());
    cuda::check_launch();
  }
  cuda::copy_to_host(stream, list.count_on_host.data(), list.counter.data(), sizeof(std::uint32_t));
}

void sort_digits(const cuda::Stream& stream, const Plan& plan, DigitList& list) {
  stream.wait_until_idle();
  list.count = *list.count_on_host.data();
  list.sorted = 0;
  if (list.count == 0) return;
  std::size_t scratch = list.sort_scratch.size_bytes();
  cub::DoubleBuffer<std::uint32_t> keys(list.keys[0].data(), list.keys[1].data()),
      values(list.values[0].data(), list.values[1].data());
  PENSTOCK_CUDA_CHECK(cub::DeviceRadixSort::SortPairs(list.sort_scratch.data(), scratch, keys, values,
                                                      static_cast<int>(list.count), 0, plan.key_bits(),
                                                      stream.get()));
  list.sorted = keys.selector;  // the values' selector moves with the keys'
}

void build_digits(const cuda::Stream& stream, const Plan& plan, const Scalar* scalars, std::uint64_t n,
                  const std::uint64_t (&modulus)[4], DigitList& list) {
  emit_digits(stream, plan, scalars, {0, n, n}, modulus, list);
  sort_digits(stream, plan, list);
}

}  // namespace penstock::msm
