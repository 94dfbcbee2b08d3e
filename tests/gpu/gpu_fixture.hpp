// What every GPU test needs: a device or a reason to skip, a heap, a stream, reproducible random values.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "common/algebra/curves.hpp"
#include "common/circuit/proof.hpp"
#include "cuda/device/device_list.hpp"
#include "cuda/device/device_memory.hpp"

namespace penstock::test {

class Gpu : public testing::Test {
 protected:
  void SetUp() override {
    const auto devices = cuda::list_devices();
    if (devices.ok()) {
      cuda::use_device(0);
      return;
    }
    const char* required = std::getenv("PENSTOCK_REQUIRE_GPU");
    if (required != nullptr && std::string(required) == "1") FAIL() << to_string(devices.error());
    GTEST_SKIP() << devices.error().what;
  }
};

/// A stream made at its first use: a fixture that holds one can be built, and skip, where there is no device.
class StreamOnUse {
 public:
  operator const cuda::Stream&() {
    if (!stream_) stream_.emplace();
    return *stream_;
  }

 private:
  std::optional<cuda::Stream> stream_;
};

/// tests/vectors, wherever it lies on the machine with the GPU.
inline std::string vectors_folder() {
  const char* moved = std::getenv("PENSTOCK_TEST_VECTORS_DIR");
  return moved != nullptr ? moved : PENSTOCK_TEST_VECTORS;
}

/// A scalar field element, uniform enough for tests.
template <class Fr>
Fr random_element(std::mt19937_64& random) {
  typename Fr::Limbs limbs{};
  do {
    for (auto& limb : limbs) limb = random();
    limbs.back() >>= 1;
  } while (!Fr::is_canonical(limbs));
  return Fr::from_montgomery(limbs);
}

template <class Fr>
circuit::Scalar random_scalar(std::mt19937_64& random) {
  return random_element<Fr>(random).montgomery_limbs();
}

template <class T>
cuda::DeviceBuffer<T> to_device(const cuda::Stream& stream, cuda::DeviceHeap& heap,
                                const std::vector<T>& host) {
  cuda::DeviceBuffer<T> device(heap, host.size());
  cuda::copy_to_device(stream, device.data(), host.data(), host.size() * sizeof(T));
  stream.wait_until_idle();
  return device;
}

template <class T>
std::vector<T> to_host(const cuda::Stream& stream, const T* device, std::size_t size) {
  std::vector<T> host(size);
  cuda::copy_to_host(stream, host.data(), device, size * sizeof(T));
  stream.wait_until_idle();
  return host;
}

/// 1·G, 2·G, … n·G: distinct points.
template <class C, class G>
std::vector<G> multiples_of_generator(std::size_t n) {
  using Sum = algebra::Xyzz<typename G::Coordinate>;
  G generator;
  if constexpr (std::is_same_v<G, typename C::G1>)
    generator = C::g1_generator();
  else
    generator = C::g2_generator();
  std::vector<Sum> sums;
  Sum sum = Sum::infinity();
  for (std::size_t i = 0; i < n; ++i) {
    sum.add(generator);
    sums.push_back(sum);
  }
  std::vector<G> points(n);
  algebra::batch_to_affine(std::span<const Sum>(sums), std::span<G>(points));
  return points;
}

}  // namespace penstock::test
