#include "common/groth16/setup.hpp"

#include <new>
#include <string>

#include "common/groth16/random_scalar.hpp"
#include "common/groth16/setup_key.hpp"

namespace penstock::groth16 {
namespace {

/// SplitMix64 (Steele, Lea, Flood 2014): reproducible keys for tests, nothing more.
class SeededBytes {
 public:
  explicit SeededBytes(std::uint64_t seed) : state_(seed) {}
  void operator()(std::span<std::byte> out) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (i % 8 == 0) word_ = next();
      out[i] = static_cast<std::byte>(word_ >> (8 * (i % 8)));
    }
  }

 private:
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint64_t state_, word_ = 0;
};

}  // namespace

Result<circuit::AnyVerificationKey> setup_insecure_dev(const circuit::R1cs& r1cs,
                                                       const std::filesystem::path& key_path,
                                                       const SetupOptions& options) {
  const CurveId curve = r1cs.shape().curve;
  const ScalarSampler sampler(curve);
  SeededBytes seeded(options.seed.value_or(0));
  const ScalarSource draw = [&] {
    return options.seed ? sampler.draw(seeded) : sampler.draw(os_random_bytes);
  };
  try {
    return algebra::with_curve(curve, [&](auto c) -> Result<circuit::AnyVerificationKey> {
      using C = typename decltype(c)::type;
      const int log2 = setup_domain_log2(r1cs.shape());
      if (log2 > C::two_adicity)
        return Error{ErrorCode::bad_domain, "the circuit needs a domain of 2^" + std::to_string(log2) +
                                                ", the scalar field has roots of unity up to 2^" +
                                                std::to_string(C::two_adicity)};
      return setup_key<C>(r1cs, key_path, snarkjs_domain<C>(log2), options, draw);
    });
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::out_of_memory, "not enough memory to make the key"};
  }
}

}  // namespace penstock::groth16
