#include "common/circuit/witness.hpp"

#include <cstring>
#include <string>

#include "common/circuit/binary_container.hpp"
#include "common/circuit/curve_primes.hpp"
#include "common/circuit/file_io.hpp"

namespace penstock::circuit {
namespace {

constexpr std::uint32_t header_section = 1;
constexpr std::uint32_t value_section = 2;

/// `offset` is where values[0] lies in the file.
Status check_values(const WitnessView& witness, std::uint64_t offset) {
  const Scalar modulus = scalar_modulus(witness.curve);
  for (std::size_t i = 0; i < witness.values.size(); ++i)
    if (!is_below(witness.values[i], modulus))
      return Error{.code = ErrorCode::not_canonical,
                   .what = "wire " + std::to_string(i) + " is not below the scalar field's prime",
                   .offset = offset + i * scalar_bytes};
  if (witness.values.empty() || witness.values[0] != Scalar{1, 0, 0, 0})
    return Error{
        .code = ErrorCode::not_canonical, .what = "wire 0 is not the constant one", .offset = offset};
  return {};
}

void append(std::vector<std::byte>& out, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const std::byte*>(data);
  out.insert(out.end(), bytes, bytes + size);
}

template <class Integer>
void append(std::vector<std::byte>& out, Integer value) {
  append(out, &value, sizeof(value));
}

}  // namespace

Result<WitnessView> parse_wtns(std::span<const std::byte> bytes) {
  const auto container = PENSTOCK_TRY(BinaryContainer::parse(bytes, wtns_kind));
  const auto header = PENSTOCK_TRY(container.require(header_section));
  const auto values = PENSTOCK_TRY(container.require(value_section));
  auto cursor = header.cursor();
  WitnessView witness;
  witness.curve = PENSTOCK_TRY(read_scalar_prime(cursor));
  const auto count_offset = cursor.file_offset();
  const auto count = PENSTOCK_TRY(cursor.u32());
  PENSTOCK_TRY(cursor.expect_end());
  if (count == 0)
    return Error{
        .code = ErrorCode::count_out_of_range, .what = "a witness without wires", .offset = count_offset};
  PENSTOCK_TRY(expect_records(values, count, scalar_bytes));
  witness.values = UnalignedSpan<Scalar>(values.bytes);
  PENSTOCK_TRY(check_values(witness, values.offset));
  return witness;
}

Status check_witness_values(const WitnessView& witness) {
  return check_values(witness, 0);
}

std::vector<std::byte> to_wtns(const WitnessView& witness) {
  const Scalar modulus = scalar_modulus(witness.curve);
  const auto values = witness.values.bytes();
  std::vector<std::byte> out;
  out.reserve(76 + values.size());
  append(out, wtns_kind.magic.data(), wtns_kind.magic.size());
  append(out, wtns_kind.version);
  append(out, std::uint32_t{2});
  append(out, header_section);
  append(out, std::uint64_t{sizeof(std::uint32_t) + scalar_bytes + sizeof(std::uint32_t)});
  append(out, static_cast<std::uint32_t>(scalar_bytes));
  append(out, modulus.data(), scalar_bytes);
  append(out, static_cast<std::uint32_t>(witness.values.size()));
  append(out, value_section);
  append(out, std::uint64_t{values.size()});
  append(out, values.data(), values.size());
  return out;
}

Status write_wtns(const std::filesystem::path& path, const WitnessView& witness) {
  auto bytes = to_wtns(witness);
  auto written = write_file(path, bytes, 0600);
  wipe(bytes);
  return written;
}

PublicSignals publics_of(const WitnessView& witness, std::uint32_t publics) {
  PublicSignals signals(publics);
  for (std::uint32_t i = 0; i < publics; ++i) signals[i] = witness.values[i + 1];
  return signals;
}

Result<Witness> Witness::read(const std::filesystem::path& path) {
  Witness witness;
  witness.bytes_ = PENSTOCK_TRY(read_secret_file(path, max_file_bytes));
  auto view = parse_wtns(witness.bytes_.reveal());
  if (!view.ok()) return std::move(view).error().in(path.string());
  witness.view_ = *view;
  return witness;
}

}  // namespace penstock::circuit
