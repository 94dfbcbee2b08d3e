// One vector of scalars made ready for signed windows: folded to |s| <= r/2, biased so that any window's
// digit can be read without its neighbours, zeros dropped, short scalars kept out of the windows they do not
// reach. Shape: s + sum of 2^(c-1) 2^(c j) over all windows j but the last, in two's complement of 256 bits:
// digit j is then
//   bits [c j, c j + c) minus 2^(c-1), and the last digit is what lies above. (Window-parallel recoding as in
//   Yao-style signed representations; no carry chain.)
// Ownership: owns the biased copy (a secret when the scalars are: wiped on destruction).
// Threads: load() uses the team, reading is const. Errors: none. Cost: two passes over the scalars.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/base/curve_id.hpp"
#include "common/base/sensitive.hpp"
#include "common/base/unaligned.hpp"
#include "common/circuit/proof.hpp"
#include "common/groth16/msm_plan.hpp"
#include "common/groth16/thread_team.hpp"

namespace penstock::groth16 {

class MsmScalars {
 public:
  /// REQUIRES canonical scalars, fewer than 2^31. Reuses its memory. `window_bits` 0: the plan's choice.
  void load(ThreadTeam& team, CurveId curve, UnalignedSpan<circuit::Scalar> scalars, int window_bits = 0);

  [[nodiscard]] const MsmPlan& plan() const { return plan_; }
  [[nodiscard]] std::size_t nonzero() const { return nonzero_; }

  /// Scalars are kept in parts, so that many threads can sort one window.
  [[nodiscard]] std::size_t parts() const { return parts_.size(); }
  /// Calls visit(std::uint32_t index, std::int32_t digit) for every scalar of the part whose digit is not
  /// zero.
  template <class Visit>
  void for_each_digit(std::size_t part, int window, Visit&& visit) const {
    const Part& p = parts_[part];
    const DigitReader read(plan_, window);
    const auto visit_list = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        if (const std::int32_t digit = read(biased_[order_[i]]); digit != 0) visit(order_[i], digit);
    };
    visit_list(p.begin, p.wide_end);
    if (window == 0) visit_list(p.narrow_begin, p.end);
  }

 private:
  /// Positions in order_: wide scalars (reach window 1) from the front, narrow ones from the back, zeros
  /// nowhere.
  struct Part {
    std::size_t begin = 0, wide_end = 0, narrow_begin = 0, end = 0;
  };
  class DigitReader {
   public:
    DigitReader(const MsmPlan& plan, int window)
        : limb_(window * plan.window_bits / 64),
          shift_(window * plan.window_bits % 64),
          mask_((std::uint64_t{1} << plan.window_bits) - 1),
          half_(std::int64_t{1} << (plan.window_bits - 1)),
          is_last_(window == plan.windows - 1) {}
    std::int32_t operator()(const circuit::Scalar& biased) const {
      if (is_last_) return static_cast<std::int32_t>(above(biased));
      std::uint64_t bits = biased[static_cast<std::size_t>(limb_)] >> shift_;
      if (shift_ != 0 && limb_ < 3) bits |= biased[static_cast<std::size_t>(limb_) + 1] << (64 - shift_);
      return static_cast<std::int32_t>(static_cast<std::int64_t>(bits & mask_) - half_);
    }

   private:
    /// The signed number above the windows below: short by construction, so its low 64 bits are all of it.
    std::int64_t above(const circuit::Scalar& biased) const {
      const std::uint64_t sign = (biased[3] >> 63) != 0 ? ~std::uint64_t{0} : 0;
      const std::uint64_t high = limb_ < 3 ? biased[static_cast<std::size_t>(limb_) + 1] : sign;
      const std::uint64_t low = biased[static_cast<std::size_t>(limb_)] >> shift_;
      return static_cast<std::int64_t>(shift_ == 0 ? low : low | high << (64 - shift_));
    }
    int limb_, shift_;
    std::uint64_t mask_;
    std::int64_t half_;
    bool is_last_;
  };
  void classify(Part& part, UnalignedSpan<circuit::Scalar> scalars, CurveId curve);

  MsmPlan plan_;
  circuit::Scalar bias_{};
  std::size_t nonzero_ = 0;
  SecretVector<circuit::Scalar> biased_;
  SecretVector<std::uint32_t> order_;
  std::vector<Part> parts_;
};

}  // namespace penstock::groth16
