#include "common/circuit/zkey_writer.hpp"

#include <array>
#include <cstring>
#include <vector>

#include "common/circuit/binary_container.hpp"
#include "common/circuit/file_io.hpp"
#include "common/circuit/zkey_layout.hpp"

namespace penstock::circuit {
namespace {

template <class Value>
std::span<const std::byte> bytes_of(const Value& value) {
  return std::as_bytes(std::span(&value, 1));
}

/// A section is announced with its size, then its payload follows in pieces.
class SectionWriter {
 public:
  explicit SectionWriter(NewFile& file) : file_(file) {}

  template <class... Pieces>
  [[nodiscard]] Status section(zkey::SectionType type, const Pieces&... pieces) {
    const std::uint32_t number = type;
    const std::uint64_t size = (std::uint64_t{0} + ... + pieces.size());
    PENSTOCK_TRY(file_.append(bytes_of(number)));
    PENSTOCK_TRY(file_.append(bytes_of(size)));
    Status written;
    ((written.ok() ? void(written = file_.append(pieces)) : void()), ...);
    return written;
  }

  template <class Point>
  [[nodiscard]] Status points(zkey::SectionType type, const PointSection<Point>& points) {
    const std::uint32_t number = type;
    const std::uint64_t size = points.size() * sizeof(Point);
    PENSTOCK_TRY(file_.append(bytes_of(number)));
    PENSTOCK_TRY(file_.append(bytes_of(size)));
    return points.for_pieces(
        [&](std::span<const Point> piece) { return file_.append(std::as_bytes(piece)); });
  }

 private:
  NewFile& file_;
};

template <class C>
std::vector<std::byte> groth_header(const NewKey<C>& key) {
  std::vector<std::byte> header;
  const auto append = [&](const auto& value) {
    const auto bytes = bytes_of(value);
    header.insert(header.end(), bytes.begin(), bytes.end());
  };
  append(static_cast<std::uint32_t>(C::Fp::size_bytes));
  append(C::Fp::modulus());
  append(static_cast<std::uint32_t>(C::Fr::size_bytes));
  append(C::Fr::modulus());
  append(key.shape.variables);
  append(key.shape.publics);
  append(key.shape.domain_size);
  append(key.alpha1);
  append(key.beta1);
  append(key.beta2);
  append(key.gamma2);
  append(key.delta1);
  append(key.delta2);
  return header;
}

std::array<std::byte, zkey::circuit_hash_bytes> marked_circuit_hash() {
  std::array<std::byte, zkey::circuit_hash_bytes> hash{};
  std::memcpy(hash.data(), zkey::insecure_dev_mark.data(), zkey::insecure_dev_mark.size());
  return hash;
}

/// The spans' sizes against the shape: a key with a short section must not be written.
template <class C>
Status check_shape(const NewKey<C>& key) {
  const auto& shape = key.shape;
  const bool fits = shape.curve == C::id && shape.publics < shape.variables &&
                    key.ic.size() == std::size_t{shape.publics} + 1 && key.a.size() == shape.variables &&
                    key.b1.size() == shape.variables && key.b2.size() == shape.variables &&
                    key.c.size() == shape.variables - shape.publics - 1 &&
                    key.h.size() == shape.domain_size && key.coefficients.size() <= UINT32_MAX;
  if (fits) return {};
  return Error{.code = ErrorCode::size_mismatch,
               .what = "the new key's sections do not have the sizes of its shape"};
}

}  // namespace

template <class C>
Status write_insecure_dev_key(const std::filesystem::path& path, const NewKey<C>& key) {
  PENSTOCK_TRY(check_shape(key));
  auto file = PENSTOCK_TRY(NewFile::create(path, 0644));
  const std::array<std::uint32_t, 2> version_and_count = {zkey_kind.version, zkey::contributions};
  PENSTOCK_TRY(file.append(std::as_bytes(std::span(zkey_kind.magic))));
  PENSTOCK_TRY(file.append(bytes_of(version_and_count)));

  SectionWriter writer(file);
  const auto coefficient_count = static_cast<std::uint32_t>(key.coefficients.size());
  const std::uint32_t no_contributions = 0;
  PENSTOCK_TRY(writer.section(zkey::protocol, bytes_of(zkey::protocol_groth16)));
  PENSTOCK_TRY(writer.section(zkey::groth_header, groth_header(key)));
  PENSTOCK_TRY(
      writer.section(zkey::coefficients, bytes_of(coefficient_count), std::as_bytes(key.coefficients)));
  PENSTOCK_TRY(writer.points(zkey::ic, key.ic));
  PENSTOCK_TRY(writer.points(zkey::h, key.h));
  PENSTOCK_TRY(writer.points(zkey::c, key.c));
  PENSTOCK_TRY(writer.points(zkey::a, key.a));
  PENSTOCK_TRY(writer.points(zkey::b1, key.b1));
  PENSTOCK_TRY(writer.points(zkey::b2, key.b2));
  PENSTOCK_TRY(writer.section(zkey::contributions, marked_circuit_hash(), bytes_of(no_contributions)));
  return file.commit();
}
template Status write_insecure_dev_key<algebra::Bn254>(const std::filesystem::path&,
                                                       const NewKey<algebra::Bn254>&);
template Status write_insecure_dev_key<algebra::Bls12_381>(const std::filesystem::path&,
                                                           const NewKey<algebra::Bls12_381>&);

}  // namespace penstock::circuit
