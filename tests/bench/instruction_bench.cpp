// Work for counting instructions: the same values every time, one thread, portable products. Valgrind has
// neither AVX-512 nor ADX, so the path is pinned here and nothing depends on the machine.
//   penstock_instruction_bench field|ntt|msm|pack
#include <cstdio>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "common/algebra/curves.hpp"
#include "common/algebra/lanes_path.hpp"
#include "common/algebra/product_path.hpp"
#include "common/circuit/packed_witness.hpp"
#include "common/groth16/msm.hpp"
#include "common/groth16/ntt.hpp"

namespace {

using namespace penstock;
using algebra::Bls12_381;
using algebra::Bn254;
using circuit::Scalar;

std::vector<Scalar> scalars(std::size_t count) {
  std::mt19937_64 random(1);
  std::vector<Scalar> values(count);
  for (auto& value : values) value = {random(), random(), random(), random() >> 3};
  return values;
}

template <class C>
void field() {
  auto value = C::Fp::from_u64(3);
  for (int i = 0; i < 20000; ++i) value *= value;
  if (value.is_zero()) std::puts("zero");
}

template <class C>
void ntt() {
  constexpr int log2 = 12;
  groth16::ThreadTeam team(1);
  const groth16::NttDomain<typename C::Fr> domain(team, log2, {C::root_of_unity(log2), C::coset_shift(log2)});
  std::vector<typename C::Fr> values;
  for (const auto& scalar : scalars(domain.size())) values.push_back(C::Fr::from_limbs(scalar));
  const std::span<typename C::Fr> polynomials[] = {values};
  domain.evaluations_to_coefficients(team, polynomials);
  domain.coefficients_to_coset(team, polynomials);
}

/// Points k G: distinct, cheap to make.
template <class C>
void msm() {
  using Point = typename C::G1;
  groth16::ThreadTeam team(1);
  const auto values = scalars(1024);
  std::vector<typename C::G1Sum> sums;
  auto sum = C::G1Sum::from(C::g1_generator());
  for (std::size_t i = 0; i < values.size(); ++i, sum.add(C::g1_generator())) sums.push_back(sum);
  std::vector<Point> points(values.size());
  algebra::batch_to_affine<typename C::Fp>(sums, points);
  const groth16::MsmQuery<Point> query{.points = std::span<const Point>(points)};
  const auto result = groth16::msm<C, Point>(team, std::span<const Scalar>(values), query, 8);
  if (result.is_infinity()) std::puts("infinity");
}

void pack() {
  auto values = scalars(std::size_t{1} << 16);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i % 10 != 0) values[i] = {i & 1, 0, 0, 0};
  std::vector<std::byte> packed(circuit::packed_size_bound(values.size()));
  const auto size =
      circuit::pack_witness({CurveId::bn254, std::span<const Scalar>(values)}, std::span<std::byte>(packed));
  if (size == 0) std::puts("nothing");
}

}  // namespace

int main(int argc, char** argv) {
  algebra::select_product(algebra::ProductPath::portable);
  algebra::select_lanes(algebra::LanePath::scalar);
  const auto asked = [&](const char* name) { return argc == 2 && std::strcmp(argv[1], name) == 0; };
  if (asked("field")) return field<Bn254>(), field<Bls12_381>(), 0;
  if (asked("ntt")) return ntt<Bn254>(), ntt<Bls12_381>(), 0;
  if (asked("msm")) return msm<Bn254>(), msm<Bls12_381>(), 0;
  if (asked("pack")) return pack(), 0;
  std::fputs("usage: penstock_instruction_bench field|ntt|msm|pack\n", stderr);
  return 2;
}
