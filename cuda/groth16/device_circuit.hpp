// A circuit resident on the device: points with their fixed-base tables, matrices, twiddles.
// Ownership: owns its buffers; keeps the key alive (assembly and explanations read its header points).
// Threads: immutable. Errors: CudaError (out of memory leaves nothing behind).
// Cost: one upload of the key and, per table, window_bits·sets doublings a point.
#pragma once

#include <memory>

#include "common/algebra/curves.hpp"
#include "common/groth16/proving_device.hpp"
#include "cuda/groth16/circuit_plan.hpp"
#include "cuda/msm/msm.hpp"
#include "cuda/spmv/spmv.hpp"

namespace penstock::cuda {

template <class C>
class DeviceCircuit final : public groth16::ResidentCircuit {
 public:
  using Fr = typename C::Fr;
  using G1 = typename C::G1;
  using G2 = typename C::G2;

  DeviceCircuit(DeviceHeap& heap, std::shared_ptr<const circuit::ProvingKey> key,
                std::uint64_t table_budget_bytes);

  [[nodiscard]] const circuit::KeyShape& shape() const override { return key_->shape(); }
  [[nodiscard]] std::shared_ptr<const circuit::ProvingKey> key() const override { return key_; }
  [[nodiscard]] std::uint64_t device_bytes() const override;

  [[nodiscard]] const circuit::KeyView<C>& header() const { return points_; }
  [[nodiscard]] const CircuitPlan& plan() const { return plan_; }
  [[nodiscard]] const spmv::DeviceRows<Fr>& rows() const { return rows_; }
  [[nodiscard]] const Fr* twiddles() const { return twiddles_.data(); }
  [[nodiscard]] const G1* h() const { return h_.data(); }
  [[nodiscard]] const G1* a() const { return a_.data(); }
  [[nodiscard]] const G1* b1() const { return b1_.data(); }
  [[nodiscard]] const G1* c() const { return c_.data(); }  ///< one per wire; the public wires' are infinity
  [[nodiscard]] const G2* b2() const { return b2_.data(); }

 private:
  template <class G>
  void load_query(const Stream& stream, DeviceHeap& heap, const msm::Plan& plan, UnalignedSpan<G> points,
                  std::uint64_t first_wire, std::uint64_t n, DeviceBuffer<G>& table);

  std::shared_ptr<const circuit::ProvingKey> key_;
  circuit::KeyView<C> points_;
  CircuitPlan plan_;
  spmv::DeviceRows<Fr> rows_;
  DeviceBuffer<Fr> twiddles_;
  DeviceBuffer<G1> h_, a_, b1_, c_;
  DeviceBuffer<G2> b2_;
};

}  // namespace penstock::cuda
