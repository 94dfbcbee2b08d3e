// The device's field arithmetic against the host's: random and extreme values, every pair of them.
#include "cuda/bench/field_operations.hpp"
#include "tests/gpu/gpu_fixture.hpp"

namespace penstock::test {
namespace {

using cuda::Operation;

template <class F>
struct Values {
  static F random(std::mt19937_64& random) {
    typename F::Limbs limbs{};
    do {
      for (auto& limb : limbs) limb = random();
      limbs.back() >>= 1;
      while (limbs.back() > F::modulus().back()) limbs.back() >>= 1;
    } while (!F::is_canonical(limbs));
    return F::from_montgomery(limbs);
  }
  /// 0, 1, -1, the residues 1, p - 1, p - 2 and every power of two below p.
  static std::vector<F> extremes() {
    std::vector<F> values = {F::zero(), F::one(), -F::one()};
    typename F::Limbs limbs{};
    limbs[0] = 1;
    const F unit = F::from_montgomery(limbs);
    values.push_back(F::zero() - unit);
    values.push_back(F::zero() - unit - unit);
    F power = unit;
    for (int i = 0; i < F::modulus_bits(); i += 13) {
      values.push_back(power);
      for (int k = 0; k < 13; ++k) power = power + power;
    }
    return values;
  }
};
template <class F>
struct Values<algebra::Fp2<F>> {
  static algebra::Fp2<F> random(std::mt19937_64& random) {
    return {Values<F>::random(random), Values<F>::random(random)};
  }
  static std::vector<algebra::Fp2<F>> extremes() {
    std::vector<algebra::Fp2<F>> values;
    const auto parts = Values<F>::extremes();
    for (std::size_t i = 0; i < parts.size(); ++i)
      values.push_back({parts[i], parts[(i * 7 + 3) % parts.size()]});
    for (std::size_t i = 0; i < 5; ++i) values.push_back({parts[i], parts[4 - i]});
    return values;
  }
};

template <class F>
class DeviceField : public Gpu {
 protected:
  DeviceField() {
    std::mt19937_64 random(7);
    const auto extremes = Values<F>::extremes();
    for (const F& x : extremes)
      for (const F& y : extremes) add(x, y);
    for (int i = 0; i < 4000; ++i) add(Values<F>::random(random), Values<F>::random(random));
  }
  void add(const F& x, const F& y) {
    a_.push_back(x);
    b_.push_back(y);
  }
  [[nodiscard]] static F on_host(Operation operation, const F& x, const F& y) {
    switch (operation) {
      case Operation::add:
        return x + y;
      case Operation::subtract:
        return x - y;
      case Operation::multiply:
        return x * y;
      case Operation::square:
        return x.square();
      case Operation::inverse:
        return x.inverse();
    }
    return F::zero();
  }
  template <class Apply>
  void expect_host_results(Operation operation, Apply apply_on_device) {
    const auto a = to_device(stream_, heap_, a_), b = to_device(stream_, heap_, b_);
    const cuda::DeviceBuffer<F> out(heap_, a_.size());
    apply_on_device(stream_, operation, a.data(), b.data(), out.data(), a_.size());
    const auto results = to_host(stream_, out.data(), a_.size());
    for (std::size_t i = 0; i < a_.size(); ++i)
      ASSERT_TRUE(results[i] == on_host(operation, a_[i], b_[i]))
          << "operation " << static_cast<int>(operation) << ", pair " << i;
  }

  std::vector<F> a_, b_;
  cuda::DeviceHeap heap_{std::uint64_t{1} << 30};
  StreamOnUse stream_;
};
using Fields = testing::Types<algebra::Bn254::Fr, algebra::Bn254::Fp, algebra::Bn254::Fp2,
                              algebra::Bls12_381::Fr, algebra::Bls12_381::Fp, algebra::Bls12_381::Fp2>;
TYPED_TEST_SUITE(DeviceField, Fields);

TYPED_TEST(DeviceField, EqualsTheHostInEveryOperation) {
  for (const auto operation :
       {Operation::add, Operation::subtract, Operation::multiply, Operation::square, Operation::inverse})
    TestFixture::expect_host_results(operation, cuda::apply<TypeParam>);
}

template <class F>
class DeviceHalves : public DeviceField<F> {};
using Extensions = testing::Types<algebra::Bn254::Fp2, algebra::Bls12_381::Fp2>;
TYPED_TEST_SUITE(DeviceHalves, Extensions);

TYPED_TEST(DeviceHalves, EqualTheHostInEveryOperation) {
  for (const auto operation : {Operation::add, Operation::subtract, Operation::multiply, Operation::square})
    TestFixture::expect_host_results(operation, cuda::apply_by_halves<TypeParam>);
}

}  // namespace
}  // namespace penstock::test
