// Writes a .zkey section by section, in snarkjs's order, without holding the key in memory twice.
// Errors: file_unwritable. The file appears only when finish() has succeeded (temporary beside it, then
// rename).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/circuit/proving_key.hpp"

namespace penstock::circuit {

/// The points of a section: all there, or made piece by piece while the file is written.
template <class Point>
class PointSection {
 public:
  using Make = std::function<Status(std::size_t begin, std::span<Point> out)>;
  PointSection() = default;
  PointSection(std::span<const Point> points) : size_(points.size()), points_(points) {}
  PointSection(const std::vector<Point>& points) : PointSection(std::span<const Point>(points)) {}
  PointSection(std::size_t size, Make make) : size_(size), make_(std::move(make)) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Calls write(span) for the pieces in order. Errors: write's and make's.
  template <class Write>
  [[nodiscard]] Status for_pieces(Write write) const {
    if (!make_) return write(points_);
    std::vector<Point> piece(size_ < piece_size ? size_ : piece_size);
    for (std::size_t begin = 0; begin < size_; begin += piece.size()) {
      const std::size_t count = size_ - begin < piece.size() ? size_ - begin : piece.size();
      const std::span<Point> points = std::span(piece).first(count);
      PENSTOCK_TRY(make_(begin, points));
      PENSTOCK_TRY(write(points));
    }
    return {};
  }

 private:
  static constexpr std::size_t piece_size = std::size_t{1} << 18;
  std::size_t size_ = 0;
  std::span<const Point> points_;
  Make make_;
};

/// snarkjs reads and proves with the file; section 10 holds no contribution and our insecure-dev mark.
template <class C>
struct NewKey {
  KeyShape shape;
  typename C::G1 alpha1, beta1, delta1;
  typename C::G2 beta2, gamma2, delta2;
  PointSection<typename C::G1> ic, a, b1, c, h;
  PointSection<typename C::G2> b2;
  std::span<const Coefficient> coefficients;
};

template <class C>
[[nodiscard]] Status write_insecure_dev_key(const std::filesystem::path& path, const NewKey<C>& key);

}  // namespace penstock::circuit
