#include "cuda/groth16/device_circuit.hpp"

#include <algorithm>
#include <cstring>

#include "cuda/ntt/ntt.hpp"

namespace penstock::cuda {
namespace {

/// Uploads records from a mapped file through two pinned pieces, so that reading the file and copying
/// overlap.
void upload_through_pinned(const Stream& stream, std::span<const std::byte> from, void* to) {
  constexpr std::size_t piece_bytes = std::size_t{16} << 20;
  if (from.empty()) return;
  PinnedBuffer<std::byte> pieces[2] = {PinnedBuffer<std::byte>(std::min(piece_bytes, from.size())),
                                       PinnedBuffer<std::byte>(std::min(piece_bytes, from.size()))};
  const Event copied[2] = {Event(Event::Use::ordering), Event(Event::Use::ordering)};
  for (std::size_t done = 0, turn = 0; done < from.size(); ++turn) {
    const std::size_t bytes = std::min(piece_bytes, from.size() - done);
    if (turn >= 2) copied[turn % 2].wait_until_reached();
    std::memcpy(pieces[turn % 2].data(), from.data() + done, bytes);
    copy_to_device(stream, static_cast<std::byte*>(to) + done, pieces[turn % 2].data(), bytes);
    stream.record(copied[turn % 2]);
    done += bytes;
  }
  stream.wait_until_idle();
}

}  // namespace

template <class C>
DeviceCircuit<C>::DeviceCircuit(DeviceHeap& heap, std::shared_ptr<const circuit::ProvingKey> key,
                                std::uint64_t table_budget_bytes)
    : key_(std::move(key)), points_(key_->view<C>()) {
  const circuit::KeyShape& shape = key_->shape();
  plan_ = plan_circuit({Fr::modulus_bits(), shape.domain_size, shape.variables, sizeof(G1), sizeof(G2)},
                       table_budget_bytes);
  const Stream stream;
  rows_ = spmv::upload_rows<Fr>(stream, heap, key_->coefficients(), shape.domain_size);
  twiddles_ = {heap, shape.domain_size};
  ntt::make_twiddles(stream, twiddles_.data(), shape.domain_log2, C::coset_shift(shape.domain_log2));
  load_query(stream, heap, plan_.quotient, points_.h, 0, shape.domain_size, h_);
  load_query(stream, heap, plan_.witness, points_.a, 0, shape.variables, a_);
  load_query(stream, heap, plan_.witness, points_.b1, 0, shape.variables, b1_);
  load_query(stream, heap, plan_.witness, points_.b2, 0, shape.variables, b2_);
  load_query(stream, heap, plan_.witness, points_.c, shape.publics + 1, shape.variables, c_);
  stream.wait_until_idle();
}

/// table[i] = the point of wire i for i < n; wires below first_wire have none.
template <class C>
template <class G>
void DeviceCircuit<C>::load_query(const Stream& stream, DeviceHeap& heap, const msm::Plan& plan,
                                  UnalignedSpan<G> points, std::uint64_t first_wire, std::uint64_t n,
                                  DeviceBuffer<G>& table) {
  using F = typename G::Coordinate;
  table = {heap, n * static_cast<std::uint64_t>(plan.tables)};
  fill_zero(stream, table.data(), first_wire * sizeof(G));
  upload_through_pinned(stream, points.bytes(), table.data() + first_wire);
  if (plan.tables == 1) return;
  const DeviceBuffer<algebra::Xyzz<F>> sums(heap, n);
  const DeviceBuffer<F> scratch(heap, n);
  msm::build_table<F>(stream, plan, n, table.data(), sums.data(), scratch.data());
  stream.wait_until_idle();
}

template <class C>
std::uint64_t DeviceCircuit<C>::device_bytes() const {
  return rows_.size_bytes() + twiddles_.size_bytes() + h_.size_bytes() + a_.size_bytes() + b1_.size_bytes() +
         c_.size_bytes() + b2_.size_bytes();
}

template class DeviceCircuit<algebra::Bn254>;
template class DeviceCircuit<algebra::Bls12_381>;

}  // namespace penstock::cuda
