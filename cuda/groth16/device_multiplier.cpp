#include "cuda/groth16/device_multiplier.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <tuple>

#include "cuda/device/device_list.hpp"
#include "cuda/groth16/proof_check.hpp"
#include "cuda/msm/fixed_base.hpp"

namespace penstock::cuda {
namespace {

using algebra::Bls12_381;
using algebra::Bn254;

constexpr std::size_t piece_points = std::size_t{1} << 18;

/// One group's generator: its table and the buffers of a piece.
template <class C, class Point>
class GeneratorMultiples {
 public:
  using F = typename Point::Coordinate;
  using Fr = typename C::Fr;

  GeneratorMultiples(const Stream& stream, DeviceHeap& heap, const Point& generator)
      : table_(msm::build_fixed_base<F>(stream, heap, generator)),
        scalars_(heap, piece_points),
        sums_(heap, piece_points),
        scratch_(heap, piece_points),
        points_(heap, piece_points),
        staging_(piece_points) {}

  void multiply(const Stream& stream, std::span<const Fr> scalars, std::span<Point> points) {
    for (std::size_t begin = 0; begin < scalars.size(); begin += piece_points) {
      const std::size_t count = std::min(piece_points, scalars.size() - begin);
      copy_to_device(stream, scalars_.data(), scalars.data() + begin, count * sizeof(Fr));
      msm::multiply_fixed_base<Fr, F>(stream, table_, scalars_.data(), count, sums_.data(), scratch_.data(),
                                      points_.data());
      copy_to_host(stream, staging_.data(), points_.data(), count * sizeof(Point));
      stream.wait_until_idle();
      std::memcpy(points.data() + begin, staging_.data(), count * sizeof(Point));
    }
  }

 private:
  msm::FixedBaseTable<F> table_;
  DeviceBuffer<Fr> scalars_;
  DeviceBuffer<algebra::Xyzz<F>> sums_;
  DeviceBuffer<F> scratch_;
  DeviceBuffer<Point> points_;
  PinnedBuffer<Point> staging_;
};

class DeviceMultiplier final : public groth16::PointMultiplier {
 public:
  explicit DeviceMultiplier(int ordinal) : ordinal_(ordinal), heap_(free_memory_bytes()) {}
  ~DeviceMultiplier() override { use_device_quietly(ordinal_); }

  Status multiply(std::span<const Bn254::Fr> scalars, std::span<Bn254::G1> points) override {
    return multiply_with<Bn254>(bn254_g1_, Bn254::g1_generator(), scalars, points);
  }
  Status multiply(std::span<const Bn254::Fr> scalars, std::span<Bn254::G2> points) override {
    return multiply_with<Bn254>(bn254_g2_, Bn254::g2_generator(), scalars, points);
  }
  Status multiply(std::span<const Bls12_381::Fr> scalars, std::span<Bls12_381::G1> points) override {
    return multiply_with<Bls12_381>(bls12_381_g1_, Bls12_381::g1_generator(), scalars, points);
  }
  Status multiply(std::span<const Bls12_381::Fr> scalars, std::span<Bls12_381::G2> points) override {
    return multiply_with<Bls12_381>(bls12_381_g2_, Bls12_381::g2_generator(), scalars, points);
  }

 private:
  template <class C, class Point>
  Status multiply_with(std::optional<GeneratorMultiples<C, Point>>& multiples, const Point& generator,
                       std::span<const typename C::Fr> scalars, std::span<Point> points) {
    try {
      use_device(ordinal_);
      if (!multiples) multiples.emplace(stream_, heap_, generator);
      multiples->multiply(stream_, scalars, points);
      return {};
    } catch (const CudaError& failure) {
      return failure.to_error();
    }
  }

  int ordinal_;
  DeviceHeap heap_;
  Stream stream_;
  std::optional<GeneratorMultiples<Bn254, Bn254::G1>> bn254_g1_;
  std::optional<GeneratorMultiples<Bn254, Bn254::G2>> bn254_g2_;
  std::optional<GeneratorMultiples<Bls12_381, Bls12_381::G1>> bls12_381_g1_;
  std::optional<GeneratorMultiples<Bls12_381, Bls12_381::G2>> bls12_381_g2_;
};

}  // namespace

Result<std::unique_ptr<groth16::PointMultiplier>> make_device_multiplier(int ordinal) {
  using Made = Result<std::unique_ptr<groth16::PointMultiplier>>;
  const auto devices = PENSTOCK_TRY(list_devices());
  if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= devices.size())
    return Error{ErrorCode::device_unavailable, "there is no device cuda:" + std::to_string(ordinal)};
  try {
    use_device(ordinal);
    auto multiplier = std::make_unique<DeviceMultiplier>(ordinal);
    PENSTOCK_TRY(check_multiples(*multiplier));
    return Made(std::move(multiplier));
  } catch (const CudaError& failure) {
    return failure.to_error();
  }
}

}  // namespace penstock::cuda
