#include "common/circuit/wire_tests.hpp"

#if PENSTOCK_LANES

#include "common/algebra/lanes_memory.hpp"

namespace penstock::circuit::packed {

PENSTOCK_LANE_CODE WireTests test_wires_in_lanes(const std::byte* wires) {
  namespace lanes = algebra::lanes;
  constexpr std::size_t size = 32;
  WireTests tests;
  for (int group = 0; group < 8; ++group, wires += 8 * size) {
    lanes::Sources from = {wires,
                           wires + size,
                           wires + 2 * size,
                           wires + 3 * size,
                           wires + 4 * size,
                           wires + 5 * size,
                           wires + 6 * size,
                           wires + 7 * size};
    const auto words = lanes::load_words<4>(from, 0);
    const lanes::Vector low = words.word[0];
    const lanes::Vector high = _mm512_or_si512(_mm512_or_si512(words.word[1], words.word[2]), words.word[3]);
    const lanes::Vector above_bit = _mm512_or_si512(high, _mm512_srli_epi64(low, 1));
    const auto put = [group](std::uint64_t& bits, lanes::Mask mask) {
      bits |= static_cast<std::uint64_t>(mask) << (8 * group);
    };
    put(tests.odd, _mm512_test_epi64_mask(low, lanes::constant(1)));
    put(tests.not_bit, _mm512_test_epi64_mask(above_bit, above_bit));
    put(tests.full_width, _mm512_test_epi64_mask(high, high));
    put(tests.above_32, _mm512_test_epi64_mask(low, lanes::constant(0xFFFFFFFF00000000)));
    put(tests.above_16, _mm512_test_epi64_mask(low, lanes::constant(0xFFFFFFFFFFFF0000)));
    put(tests.above_8, _mm512_test_epi64_mask(low, lanes::constant(0xFFFFFFFFFFFFFF00)));
  }
  return tests;
}

}  // namespace penstock::circuit::packed

#endif
