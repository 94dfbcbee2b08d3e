#include "common/circuit/packed_layout.hpp"
#include "cuda/witness/decode.hpp"

namespace penstock::witness {
namespace {

namespace layout = circuit::packed;
constexpr int threads = 128;
constexpr std::uint32_t bit_words = layout::block_wires / 64;

/// One packed block, in bounds of the whole and of itself.
struct Block {
  const std::byte* bytes;
  std::uint64_t size_bytes;
  std::uint32_t wires;
};

template <class T>
__device__ __forceinline__ T at(const Block& block, std::uint64_t place) {
  return *reinterpret_cast<const T*>(block.bytes + place);  // aligned by the layout
}

__device__ void decode_raw(const Block& block, msm::Scalar* values, std::uint32_t* verdict) {
  if (block.size_bytes != layout::raw_block_bytes(block.wires)) {
    if (threadIdx.x == 0) atomicOr(verdict, malformed);
    return;
  }
  const auto* from = reinterpret_cast<const std::uint64_t*>(block.bytes + sizeof(layout::BlockHead));
  auto* to = reinterpret_cast<std::uint64_t*>(values);
  for (std::uint32_t i = threadIdx.x; i < block.wires * 4; i += threads) to[i] = from[i];
}

/// The value at `rank` of the block's list: its width, then its bytes, zero-extended.
__device__ msm::Scalar value_at(const Block& block, layout::BlockHead head, const layout::BlockLayout& places,
                                std::uint32_t rank) {
  int width = 0;
  while (rank >= head.count(width)) rank -= head.count(width++);
  const std::uint64_t place =
      places.values[width] + static_cast<std::uint64_t>(rank) * layout::width_bytes(width);
  switch (width) {
    case 0: {
      msm::Scalar value;
      for (int k = 0; k < 4; ++k) value.limb[k] = at<std::uint64_t>(block, place + 8 * k);
      return value;
    }
    case 1:
      return {{at<std::uint64_t>(block, place), 0, 0, 0}};
    case 2:
      return {{at<std::uint32_t>(block, place), 0, 0, 0}};
    case 3:
      return {{at<std::uint16_t>(block, place), 0, 0, 0}};
    default:
      return {{at<std::uint8_t>(block, place), 0, 0, 0}};
  }
}

/// A wire is a bit or is named once: so the result does not depend on the order of the threads.
__device__ void decode_split(const Block& block, layout::BlockHead head, msm::Scalar* values,
                             std::uint32_t* verdict) {
  __shared__ std::uint64_t taken[bit_words];
  const layout::BlockLayout places = layout::layout_of(head, block.wires);
  if (places.total_values > block.wires || places.end != block.size_bytes) {
    if (threadIdx.x == 0) atomicOr(verdict, malformed);
    return;
  }
  const std::uint32_t words = (block.wires + 63) / 64;
  for (std::uint32_t word = threadIdx.x; word < words; word += threads)
    taken[word] = at<std::uint64_t>(block, places.bits + 8 * static_cast<std::uint64_t>(word));
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < block.wires; i += threads)
    values[i] = {{(taken[i / 64] >> (i % 64)) & 1, 0, 0, 0}};
  __syncthreads();
  for (std::uint32_t rank = threadIdx.x; rank < places.total_values; rank += threads) {
    const std::uint32_t wire =
        at<std::uint16_t>(block, places.indices + 2 * static_cast<std::uint64_t>(rank));
    const unsigned long long bit = 1ull << (wire % 64);
    if (wire >= block.wires ||
        (atomicOr(reinterpret_cast<unsigned long long*>(&taken[wire / 64]), bit) & bit) != 0) {
      atomicOr(verdict, malformed);
      continue;
    }
    values[wire] = value_at(block, head, places, rank);
  }
}

__global__ void __launch_bounds__(threads)
    decode_blocks(const std::byte* packed, std::uint64_t size_bytes, std::uint64_t wires, msm::Scalar* values,
                  std::uint32_t* verdict) {
  const auto* table = reinterpret_cast<const std::uint32_t*>(packed + sizeof(layout::Header));
  const std::uint64_t begin = table[blockIdx.x] * std::uint64_t{layout::unit_bytes};
  const std::uint64_t end = table[blockIdx.x + 1] * std::uint64_t{layout::unit_bytes};
  if (end > size_bytes || end < begin + sizeof(layout::BlockHead)) {
    if (threadIdx.x == 0) atomicOr(verdict, malformed);
    return;
  }
  const Block block = {packed + begin, end - begin, layout::wires_in_block(wires, blockIdx.x)};
  const layout::BlockHead head{at<std::uint64_t>(block, 0)};
  msm::Scalar* out = values + blockIdx.x * std::uint64_t{layout::block_wires};
  if (head.raw())
    decode_raw(block, out, verdict);
  else
    decode_split(block, head, out, verdict);
}

}  // namespace

void decode_packed(const cuda::Stream& stream, const std::byte* packed, std::uint64_t size_bytes,
                   std::uint64_t wires, msm::Scalar* values, std::uint32_t* verdict) {
  const auto blocks = static_cast<unsigned>(layout::blocks_of(wires));
  decode_blocks<<<blocks, threads, 0, stream.get()>>>(packed, size_bytes, wires, values, verdict);
  cuda::check_launch();
}

}  // namespace penstock::witness
