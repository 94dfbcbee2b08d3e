#include "cuda/groth16/proof_check.hpp"

#include <array>
#include <string>

#include "common/circuit/packed_witness.hpp"
#include "common/groth16/verify.hpp"
#include "cuda/groth16/small_circuit.hpp"

namespace penstock::cuda {
namespace {

using groth16::Encoding;

Error wrong(const char* step, CurveId curve) {
  return {ErrorCode::device_unavailable,
          "the device's self-test failed: " + std::string(step) + " on " + std::string(name(curve)),
          "the device computes wrongly; take it out of service or use --device cpu"};
}

Status check_proof(groth16::ProvingLane& lane, const groth16::ResidentCircuit& resident,
                   const groth16::PreparedVerifier& verifier, const circuit::Scalar& result,
                   const groth16::PartitionView& partition) {
  const CurveId curve = resident.shape().curve;
  groth16::OsBlindingSource blinding;
  PENSTOCK_TRY(lane.stage(resident, partition));
  PENSTOCK_TRY(lane.prove_start(blinding.draw(curve)));
  const auto proved = PENSTOCK_TRY(lane.prove_finish());
  if (proved.publics != circuit::PublicSignals{result})
    return wrong("a proof has other public signals", curve);
  if (circuit::curve_of(proved.proof) != curve || !verifier.verify(proved.publics, proved.proof).ok())
    return wrong("a proof does not verify", curve);
  return {};
}

Status check_curve(groth16::ProvingDevice& device, CurveId curve) {
  const auto small = PENSTOCK_TRY(SmallCircuit::create(curve));
  const auto verifier = PENSTOCK_TRY(groth16::prepare_verifier(small.key->verification_key()));
  const auto resident = PENSTOCK_TRY(device.load_circuit(small.key));
  const auto lane = PENSTOCK_TRY(device.open_lane());
  const std::span<const circuit::Scalar> wires(small.wires);
  std::vector<std::byte> packed(circuit::packed_size_bound(wires.size()));
  packed.resize(circuit::pack_witness({curve, wires}, packed));
  PENSTOCK_TRY(check_proof(*lane, *resident, *verifier, wires[1], {.bytes = std::as_bytes(wires)}));
  return check_proof(*lane, *resident, *verifier, wires[1], {.encoding = Encoding::packed, .bytes = packed});
}

/// 0, 1, -1 and two without structure.
template <class C, class Point>
Status check_group(groth16::PointMultiplier& multiplier, const Point& generator) {
  using Fr = typename C::Fr;
  using Sum = algebra::Xyzz<typename Point::Coordinate>;
  const Fr seed = Fr::from_u64(0x9e3779b97f4a7c15).square().square();
  const std::array<Fr, 5> scalars = {Fr::zero(), Fr::one(), -Fr::one(), seed.inverse(), -seed};
  std::array<Point, 5> points;
  PENSTOCK_TRY(multiplier.multiply(std::span<const Fr>(scalars), std::span<Point>(points)));
  for (std::size_t i = 0; i < scalars.size(); ++i)
    if (!(points[i] == algebra::scalar_multiply<Sum>(generator, scalars[i].to_limbs()).to_affine()))
      return wrong("a multiple of a generator differs from the host's", C::id);
  return {};
}

}  // namespace

Status check_proofs(groth16::ProvingDevice& device) {
  PENSTOCK_TRY(check_curve(device, CurveId::bn254));
  return check_curve(device, CurveId::bls12_381);
}

Status check_multiples(groth16::PointMultiplier& multiplier) {
  using algebra::Bls12_381;
  using algebra::Bn254;
  PENSTOCK_TRY(check_group<Bn254>(multiplier, Bn254::g1_generator()));
  PENSTOCK_TRY(check_group<Bn254>(multiplier, Bn254::g2_generator()));
  PENSTOCK_TRY(check_group<Bls12_381>(multiplier, Bls12_381::g1_generator()));
  return check_group<Bls12_381>(multiplier, Bls12_381::g2_generator());
}

}  // namespace penstock::cuda
