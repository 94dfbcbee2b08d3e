#include "common/groth16/staged_partition.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <mutex>
#include <string>

#include "common/circuit/packed_witness.hpp"

namespace penstock::groth16 {
namespace {

using circuit::Scalar;
constexpr std::size_t scalar_bytes = sizeof(Scalar);
constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

void resize(SensitiveVector<Scalar>& vector, std::size_t size) {
  if (vector.size() != size) vector = SensitiveVector<Scalar>(size);
}

/// Copies, and gives the position of the first value that is not below r, or `none`.
template <class Fr>
std::size_t copy_canonical(ThreadTeam& team, UnalignedSpan<Scalar> from, std::span<Scalar> to) {
  std::atomic<std::size_t> first_bad{none};
  team.for_ranges(to.size(), 8192, [&](std::size_t begin, std::size_t end) {
    std::memcpy(to.data() + begin, from.bytes().data() + begin * scalar_bytes, (end - begin) * scalar_bytes);
    for (std::size_t i = begin; i < end; ++i) {
      if (Fr::is_canonical(to[i])) continue;
      std::size_t known = first_bad.load();
      while (i < known && !first_bad.compare_exchange_weak(known, i)) {
      }
      return;
    }
  });
  return first_bad;
}

Status copy_checked(ThreadTeam& team, CurveId curve, const char* vector_name, UnalignedSpan<Scalar> from,
                    SensitiveVector<Scalar>& to) {
  resize(to, from.size());
  const std::size_t bad = algebra::with_curve(
      curve, [&](auto c) { return copy_canonical<typename decltype(c)::type::Fr>(team, from, to.reveal()); });
  if (bad == none) return {};
  return Error{
      ErrorCode::not_canonical,
      std::string(vector_name) + " " + std::to_string(bad) + " is not below the scalar field's order",
      "values must be reduced modulo r"};
}

Status check_bytes(std::size_t actual, std::uint64_t expected) {
  if (actual == expected) return {};
  return Error{ErrorCode::size_mismatch,
               "the partition holds " + std::to_string(actual) + " bytes, the circuit needs " +
                   std::to_string(expected),
               "is it a witness of this circuit?"};
}

}  // namespace

Status StagedPartition::load(ThreadTeam& team, const circuit::KeyShape& shape,
                             const PartitionView& partition) {
  if (partition.kind == PartitionKind::witness) {
    a_.clear();
    b_.clear();
    if (partition.encoding == Encoding::packed) return load_packed(team, shape, partition.bytes);
    return load_raw(team, shape, partition.bytes);
  }
  if (partition.encoding == Encoding::packed)
    return Error{ErrorCode::bad_format, "an evaluated partition cannot be packed", "send it raw"};
  return load_evaluated(team, shape, partition.bytes);
}

Status StagedPartition::load_raw(ThreadTeam& team, const circuit::KeyShape& shape,
                                 std::span<const std::byte> bytes) {
  PENSTOCK_TRY(check_bytes(bytes.size(), std::uint64_t{shape.variables} * scalar_bytes));
  PENSTOCK_TRY(copy_checked(team, shape.curve, "wire", UnalignedSpan<Scalar>(bytes), witness_));
  return check_first_wire();
}

Status StagedPartition::load_evaluated(ThreadTeam& team, const circuit::KeyShape& shape,
                                       std::span<const std::byte> bytes) {
  const std::size_t rows = std::size_t{shape.domain_size} * scalar_bytes;
  PENSTOCK_TRY(check_bytes(bytes.size(), 2 * rows + std::uint64_t{shape.variables} * scalar_bytes));
  PENSTOCK_TRY(copy_checked(team, shape.curve, "a, row", UnalignedSpan<Scalar>(bytes.first(rows)), a_));
  PENSTOCK_TRY(
      copy_checked(team, shape.curve, "b, row", UnalignedSpan<Scalar>(bytes.subspan(rows, rows)), b_));
  PENSTOCK_TRY(
      copy_checked(team, shape.curve, "wire", UnalignedSpan<Scalar>(bytes.subspan(2 * rows)), witness_));
  return check_first_wire();
}

Status StagedPartition::load_packed(ThreadTeam& team, const circuit::KeyShape& shape,
                                    std::span<const std::byte> bytes) {
  const circuit::PackedShape packed = PENSTOCK_TRY(circuit::packed_shape(bytes));
  if (packed.curve != shape.curve)
    return Error{ErrorCode::curve_mismatch, "the witness is of curve " + std::string(name(packed.curve)) +
                                                ", the circuit of " + std::string(name(shape.curve))};
  if (packed.wires != shape.variables)
    return Error{ErrorCode::size_mismatch, "the witness holds " + std::to_string(packed.wires) +
                                               " wires, the circuit has " + std::to_string(shape.variables)};
  resize(witness_, shape.variables);
  const std::span<Scalar> out = witness_.reveal();
  std::mutex mutex;
  Status status;
  team.for_each(packed.blocks, [&](std::size_t block, int) {
    const std::size_t begin = block * circuit::packed_block_wires;
    if (begin >= out.size()) return;
    const std::size_t count = std::min(circuit::packed_block_wires, out.size() - begin);
    Status one =
        circuit::unpack_block(bytes, packed, static_cast<std::uint32_t>(block), out.subspan(begin, count));
    if (one.ok()) return;
    const std::lock_guard lock(mutex);
    if (status.ok()) status = std::move(one);
  });
  PENSTOCK_TRY(std::move(status));
  return check_first_wire();
}

Status StagedPartition::check_first_wire() const {
  if (witness_.reveal()[0] == Scalar{1}) return {};
  return Error{ErrorCode::not_canonical, "wire 0 of the witness is not 1",
               "the first wire is the constant one"};
}

StagedWitness StagedPartition::view() const {
  return {witness_.reveal(), a_.reveal(), b_.reveal()};
}

circuit::PublicSignals StagedPartition::publics(const circuit::KeyShape& shape) const {
  const auto first = witness_.reveal().subspan(1, shape.publics);
  return {first.begin(), first.end()};
}

}  // namespace penstock::groth16
