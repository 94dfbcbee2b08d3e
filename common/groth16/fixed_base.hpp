// Many multiples of one point: a table of signed windows and batch-affine additions. For setups.
// Shape: table row w holds d * 2^(c w) * P for d = 1 .. 2^(c-1); a scalar is the sum of one entry a row.
// Ownership: owns the table (BN254 G1 at c = 12: 3 MB). Threads: multiply() uses the team; the table is
// immutable. Errors: none. Cost: about 6.5 products per row and scalar; the table as many additions as
// entries.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "common/algebra/curve.hpp"
#include "common/groth16/batch_add.hpp"
#include "common/groth16/thread_team.hpp"

namespace penstock::groth16 {

template <class Fr, class Point>
class FixedBase {
 public:
  using Sum = algebra::Xyzz<typename Point::Coordinate>;

  FixedBase(ThreadTeam& team, const Point& base) : table_(rows * row_size) {
    Sum power = Sum::from(base);
    std::vector<Sum> powers(rows);
    for (Sum& first : powers) {
      first = power;
      for (int i = 0; i < window_bits; ++i) power.double_in_place();
    }
    std::vector<Point> firsts(rows);
    algebra::batch_to_affine<typename Point::Coordinate>(powers, firsts);
    team.for_each(rows, [&](std::size_t row, int) { fill_row(table_.data() + row * row_size, firsts[row]); });
  }

  /// out[i] = scalars[i] * base. REQUIRES equal sizes.
  void multiply(ThreadTeam& team, std::span<const Fr> scalars, std::span<Point> out) const {
    std::vector<BatchAdder<Point>> adders(static_cast<std::size_t>(team.size()));
    const std::size_t chunks = (scalars.size() + chunk - 1) / chunk;
    team.for_each(chunks, [&](std::size_t task, int worker) {
      const std::size_t begin = task * chunk, count = std::min(chunk, scalars.size() - begin);
      multiply_chunk(adders[static_cast<std::size_t>(worker)], scalars.subspan(begin, count),
                     out.subspan(begin, count));
    });
  }

 private:
  static constexpr int window_bits = 12;
  static constexpr std::size_t row_size = std::size_t{1} << (window_bits - 1);
  static constexpr std::size_t rows =
      (256 + window_bits - 1) / window_bits;  // r is below 2^255, and one bit of carry
  static constexpr std::size_t chunk = 2048;

  static void fill_row(Point* row, const Point& first) {
    BatchAdder<Point> adder;
    row[0] = first;
    for (std::size_t filled = 1; filled < row_size; filled *= 2)
      adder.add(
          filled, [row](std::size_t k) -> const Point& { return row[k]; },
          [row, filled](std::size_t) -> const Point& { return row[filled - 1]; },
          [row, filled](std::size_t k) -> Point& { return row[filled + k]; });
  }

  /// Signed digits in [-2^(c-1), 2^(c-1)), least significant first.
  static void recode(const Fr& scalar, std::int16_t* digits, std::size_t stride) {
    const typename Fr::Limbs plain = scalar.to_limbs();
    std::int32_t carry = 0;
    for (std::size_t w = 0; w < rows; ++w) {
      const std::size_t bit = w * window_bits;
      std::uint64_t bits = plain[bit / 64] >> (bit % 64);
      if (bit % 64 > 64 - window_bits && bit / 64 < 3) bits |= plain[bit / 64 + 1] << (64 - bit % 64);
      std::int32_t digit = static_cast<std::int32_t>(bits & (2 * row_size - 1)) + carry;
      carry = digit >= static_cast<std::int32_t>(row_size) ? 1 : 0;
      digit -= carry * static_cast<std::int32_t>(2 * row_size);
      digits[w * stride] = static_cast<std::int16_t>(digit);
    }
  }

  void multiply_chunk(BatchAdder<Point>& adder, std::span<const Fr> scalars, std::span<Point> out) const {
    std::vector<std::int16_t> digits(rows * scalars.size());
    std::vector<Point> addends(scalars.size());
    for (std::size_t i = 0; i < scalars.size(); ++i) recode(scalars[i], digits.data() + i, scalars.size());
    std::fill(out.begin(), out.end(), Point::infinity());
    for (std::size_t w = 0; w < rows; ++w) {
      const std::int16_t* row_digits = digits.data() + w * scalars.size();
      for (std::size_t i = 0; i < scalars.size(); ++i) addends[i] = entry(w, row_digits[i]);
      adder.add(
          scalars.size(), [out](std::size_t k) -> const Point& { return out[k]; },
          [&addends](std::size_t k) -> const Point& { return addends[k]; },
          [out](std::size_t k) -> Point& { return out[k]; });
    }
  }
  [[nodiscard]] Point entry(std::size_t row, std::int32_t digit) const {
    if (digit == 0) return Point::infinity();
    const Point& point = table_[row * row_size + static_cast<std::size_t>(digit < 0 ? -digit : digit) - 1];
    return digit < 0 ? -point : point;
  }

  std::vector<Point> table_;
};

}  // namespace penstock::groth16
