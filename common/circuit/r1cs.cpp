#include "common/circuit/r1cs.hpp"

#include <cstring>

#include "common/circuit/binary_container.hpp"
#include "common/circuit/curve_primes.hpp"

namespace penstock::circuit {
namespace {

enum SectionType : std::uint32_t {
  header = 1,
  constraints = 2,
  wire_labels = 3,
  gate_list = 4,
  gate_uses = 5
};

using Term = LinearCombination::Term;
constexpr std::uint64_t smallest_constraint_bytes = 3 * sizeof(std::uint32_t);

Error at(std::uint64_t offset, ErrorCode code, std::string what, std::string hint = {}) {
  return Error{.code = code, .what = std::move(what), .hint = std::move(hint), .offset = offset};
}

Status refuse_custom_gates(const BinaryContainer& container) {
  for (const auto type : {gate_list, gate_uses})
    if (const auto* section = container.find(type))
      return at(section->offset, ErrorCode::custom_gates, "the circuit uses custom gates",
                "Groth16 cannot prove them; compile without `pragma custom_templates`");
  return {};
}

Result<R1csShape> read_shape(const Section& section) {
  auto cursor = section.cursor();
  R1csShape shape;
  shape.curve = PENSTOCK_TRY(read_scalar_prime(cursor));
  const auto counts_offset = cursor.file_offset();
  shape.wires = PENSTOCK_TRY(cursor.u32());
  shape.public_outputs = PENSTOCK_TRY(cursor.u32());
  shape.public_inputs = PENSTOCK_TRY(cursor.u32());
  shape.private_inputs = PENSTOCK_TRY(cursor.u32());
  shape.labels = PENSTOCK_TRY(cursor.u64());
  shape.constraints = PENSTOCK_TRY(cursor.u32());
  PENSTOCK_TRY(cursor.expect_end());
  const std::uint64_t named =
      std::uint64_t{1} + shape.public_outputs + shape.public_inputs + shape.private_inputs;
  if (named > shape.wires)
    return at(counts_offset, ErrorCode::count_out_of_range,
              "the constant, outputs and inputs are " + std::to_string(named) + " wires, the circuit has " +
                  std::to_string(shape.wires));
  return shape;
}

/// Checks one of a constraint's three rows and steps over it.
Status walk_row(ByteCursor& cursor, const R1csShape& shape, const Scalar& modulus) {
  const auto count = PENSTOCK_TRY(cursor.u32());
  const auto offset = cursor.file_offset();
  const auto bytes = PENSTOCK_TRY(cursor.take(count * std::uint64_t{sizeof(Term)}));
  const UnalignedSpan<Term> terms(bytes);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Term term = terms[i];
    const auto place = offset + i * sizeof(Term);
    if (term.wire >= shape.wires)
      return at(
          place, ErrorCode::index_out_of_range,
          "a constraint names wire " + std::to_string(term.wire) + " of " + std::to_string(shape.wires));
    const auto coefficient = scalar_at(term.coefficient);
    if (!is_below(coefficient, modulus))
      return at(place + sizeof(term.wire), ErrorCode::not_canonical,
                "a coefficient is not below the scalar field's prime");
  }
  return {};
}

/// Where each constraint begins in the section.
Result<std::vector<std::uint64_t>> walk_constraints(const Section& section, const R1csShape& shape) {
  if (shape.constraints > section.bytes.size() / smallest_constraint_bytes)
    return at(section.offset, ErrorCode::size_mismatch,
              std::to_string(shape.constraints) + " constraints do not fit " +
                  std::to_string(section.bytes.size()) + " bytes");
  const Scalar modulus = scalar_modulus(shape.curve);
  auto cursor = section.cursor();
  std::vector<std::uint64_t> offsets;
  offsets.reserve(shape.constraints);
  for (std::uint32_t i = 0; i < shape.constraints; ++i) {
    offsets.push_back(cursor.position());
    for (int row = 0; row < 3; ++row) PENSTOCK_TRY(walk_row(cursor, shape, modulus));
  }
  PENSTOCK_TRY(cursor.expect_end());
  return offsets;
}

}  // namespace

Result<std::shared_ptr<const R1cs>> R1cs::open(const std::filesystem::path& path) {
  auto file = PENSTOCK_TRY(MappedFile::open(path));
  const std::shared_ptr<R1cs> r1cs(new R1cs(std::move(file)));
  if (auto parsed = r1cs->parse(); !parsed.ok()) return std::move(parsed).error().in(path.string());
  return std::shared_ptr<const R1cs>(r1cs);
}

Status R1cs::parse() {
  const auto container = PENSTOCK_TRY(BinaryContainer::parse(file_.bytes(), r1cs_kind));
  PENSTOCK_TRY(refuse_custom_gates(container));
  const auto header_section = PENSTOCK_TRY(container.require(header));
  shape_ = PENSTOCK_TRY(read_shape(header_section));
  const auto section = PENSTOCK_TRY(container.require(constraints));
  constraint_offsets_ = PENSTOCK_TRY(walk_constraints(section, shape_));
  constraints_ = section.bytes;
  if (const auto* labels = container.find(wire_labels)) {
    PENSTOCK_TRY(expect_records(*labels, shape_.wires, sizeof(std::uint64_t)));
    labels_ = UnalignedSpan<std::uint64_t>(labels->bytes);
  }
  return {};
}

Constraint R1cs::constraint(std::uint32_t index) const {
  auto rest = constraints_.subspan(constraint_offsets_[index]);
  Constraint found;
  for (auto* row : {&found.a, &found.b, &found.c}) {
    std::uint32_t count;
    std::memcpy(&count, rest.data(), sizeof(count));
    const auto size = count * sizeof(Term);
    row->terms = UnalignedSpan<Term>(rest.subspan(sizeof(count), size));
    rest = rest.subspan(sizeof(count) + size);
  }
  return found;
}

std::uint64_t R1cs::label(std::uint32_t wire) const {
  return wire < labels_.size() ? labels_[wire] : wire;
}

}  // namespace penstock::circuit
