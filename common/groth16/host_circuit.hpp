// A circuit as the host device holds it: the mapped key in place, plus what is derived from it once: rows of
// A and B, twiddles, and which points are finite. Ownership: keeps the key alive. Threads: immutable. Cost:
// construction reads the key once.
#pragma once

#include <memory>
#include <vector>

#include "common/groth16/finite_map.hpp"
#include "common/groth16/msm_plan.hpp"
#include "common/groth16/ntt.hpp"
#include "common/groth16/point_table.hpp"
#include "common/groth16/proving_device.hpp"
#include "common/groth16/sparse_rows.hpp"

namespace penstock::groth16 {

template <class C>
[[nodiscard]] typename NttDomain<typename C::Fr>::Roots snarkjs_roots(int domain_log2) {
  return {C::root_of_unity(domain_log2), C::coset_shift(domain_log2)};
}

template <class C>
class HostCircuit final : public ResidentCircuit {
 public:
  using Domain = NttDomain<typename C::Fr>;

  /// REQUIRES key->shape().curve == C::id.
  HostCircuit(ThreadTeam& team, std::shared_ptr<const circuit::ProvingKey> key,
              const typename Domain::Roots& roots, std::uint64_t table_bytes = 0)
      : key_(std::move(key)),
        points_(key_->view<C>()),
        rows_(team, C::id, key_->coefficients(), key_->shape().domain_size),
        domain_(team, key_->shape().domain_log2, roots),
        finite_a_(finite_points(team, points_.a)),
        finite_b1_(finite_points(team, points_.b1)),
        finite_b2_(finite_points(team, points_.b2)),
        finite_c_(finite_points(team, points_.c)),
        h_table_(table_of_h(team, points_.h, table_bytes)) {
    key_->release_coefficients();
  }

  [[nodiscard]] const circuit::KeyShape& shape() const override { return key_->shape(); }
  [[nodiscard]] std::shared_ptr<const circuit::ProvingKey> key() const override { return key_; }
  [[nodiscard]] std::uint64_t device_bytes() const override {
    return key_->size_bytes() + rows_.size_bytes() + 2 * domain_.size() * sizeof(typename C::Fr) +
           (finite_a_.size() + finite_b1_.size() + finite_b2_.size() + finite_c_.size()) *
               sizeof(std::uint64_t) +
           h_table_.size_bytes();
  }
  [[nodiscard]] const circuit::KeyView<C>& points() const { return points_; }
  [[nodiscard]] const SparseRows& rows() const { return rows_; }
  [[nodiscard]] const Domain& domain() const { return domain_; }
  /// Empty where no memory was given or it would not pay. H alone has one: its scalars are always full-width.
  [[nodiscard]] const PointTable<typename C::G1>& h_table() const { return h_table_; }
  [[nodiscard]] const FiniteMap& finite_a() const { return finite_a_; }
  [[nodiscard]] const FiniteMap& finite_b1() const { return finite_b1_; }
  [[nodiscard]] const FiniteMap& finite_b2() const { return finite_b2_; }
  [[nodiscard]] const FiniteMap& finite_c() const { return finite_c_; }

 private:
  using H = PointTable<typename C::G1>;
  static H table_of_h(ThreadTeam& team, UnalignedSpan<typename C::G1> points, std::uint64_t budget_bytes) {
    if (budget_bytes == 0) return {};
    const auto plan = plan_table(points.size(), folded_scalar_bits(C::id), team.size());
    if (!plan || !H::fits(points.size(), *plan, budget_bytes)) return {};
    return {team, points, *plan, points.size()};
  }

  std::shared_ptr<const circuit::ProvingKey> key_;
  circuit::KeyView<C> points_;
  SparseRows rows_;
  Domain domain_;
  FiniteMap finite_a_, finite_b1_, finite_b2_, finite_c_;
  PointTable<typename C::G1> h_table_;
};

}  // namespace penstock::groth16
