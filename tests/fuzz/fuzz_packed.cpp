// Any bytes as a packed witness; and any bytes as wires, which must survive packing.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "common/circuit/packed_witness.hpp"

namespace {

using namespace penstock::circuit;

void decode(std::span<const std::byte> packed) {
  const auto shape = packed_shape(packed);
  if (!shape.ok()) return;
  std::vector<Scalar> out(shape->wires);
  if (!unpack_witness(packed, out).ok()) return;
  if (!check_witness_values({shape->curve, std::span<const Scalar>(out)}).ok()) std::abort();
}

void round_trip(std::span<const std::byte> bytes) {
  std::vector<Scalar> wires(1 + bytes.size() / sizeof(Scalar), Scalar{1, 0, 0, 0});
  std::memcpy(wires.data() + 1, bytes.data(), (wires.size() - 1) * sizeof(Scalar));
  for (auto& wire : wires) wire[3] &= 0x0FFFFFFFFFFFFFFF;  // below both primes
  std::vector<std::byte> packed(packed_size_bound(wires.size()));
  packed.resize(pack_witness({penstock::CurveId::bn254, std::span<const Scalar>(wires)}, packed));
  std::vector<Scalar> out(wires.size());
  if (!unpack_witness(packed, out).ok() || out != wires) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  decode(bytes);
  if (size != 0) round_trip(bytes);
  return 0;
}
