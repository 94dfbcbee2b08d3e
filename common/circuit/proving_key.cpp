#include "common/circuit/proving_key.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <thread>

#include "common/circuit/binary_container.hpp"
#include "common/circuit/curve_primes.hpp"
#include "common/circuit/parallel_ranges.hpp"
#include "common/circuit/zkey_layout.hpp"

namespace penstock::circuit {
namespace {

constexpr std::uint64_t coefficients_per_thread = 1U << 17;  // about a millisecond's work

Error at(std::uint64_t offset, ErrorCode code, std::string what, std::string hint = {}) {
  return Error{.code = code, .what = std::move(what), .hint = std::move(hint), .offset = offset};
}

struct PointBytes {
  std::uint64_t g1, g2;
};
PointBytes point_bytes(CurveId curve) {
  return algebra::with_curve(curve, []<class C>(std::type_identity<C>) {
    return PointBytes{sizeof(typename C::G1), sizeof(typename C::G2)};
  });
}

Status check_protocol(const Section& section) {
  auto cursor = section.cursor();
  const auto protocol = PENSTOCK_TRY(cursor.u32());
  PENSTOCK_TRY(cursor.expect_end());
  if (protocol == zkey::protocol_groth16) return {};
  std::string called = std::to_string(protocol);
  if (protocol == zkey::protocol_plonk) called = "plonk";
  if (protocol == zkey::protocol_fflonk) called = "fflonk";
  return at(section.offset, ErrorCode::unsupported_protocol, "the key is for the protocol " + called,
            "only groth16 keys prove here");
}

/// The counts of section 2, whose place in the file is `offset`.
Status check_counts(KeyShape& shape, std::uint64_t offset) {
  if (shape.variables == 0 || shape.publics >= shape.variables)
    return at(
        offset + 4, ErrorCode::count_out_of_range,
        std::to_string(shape.publics) + " public signals among " + std::to_string(shape.variables) + " wires",
        "wire 0 is the constant one, so there are fewer publics than wires");
  const int two_adicity =
      algebra::with_curve(shape.curve, []<class C>(std::type_identity<C>) { return C::two_adicity; });
  const auto bad_domain = [&](const std::string& why) {
    return at(offset + 8, ErrorCode::bad_domain,
              "a domain of " + std::to_string(shape.domain_size) + ": " + why);
  };
  if (!std::has_single_bit(shape.domain_size) || shape.domain_size < 2)
    return bad_domain("it must be a power of two, and two at least");
  shape.domain_log2 = std::countr_zero(shape.domain_size);
  if (shape.domain_log2 > two_adicity)
    return bad_domain("the scalar field has roots of unity up to 2^" + std::to_string(two_adicity));
  if (shape.domain_size <= shape.publics)
    return bad_domain("it has no room for the rows of " + std::to_string(shape.publics) + " public signals");
  return {};
}

struct Header {
  KeyShape shape;
  std::span<const std::byte> points;  ///< alpha1, beta1, beta2, gamma2, delta1, delta2
};

Result<Header> read_header(const Section& section) {
  auto cursor = section.cursor();
  Header header;
  KeyShape& shape = header.shape;
  shape.curve = PENSTOCK_TRY(read_both_primes(cursor));
  const auto counts_offset = cursor.file_offset();
  shape.variables = PENSTOCK_TRY(cursor.u32());
  shape.publics = PENSTOCK_TRY(cursor.u32());
  shape.domain_size = PENSTOCK_TRY(cursor.u32());
  PENSTOCK_TRY(check_counts(shape, counts_offset));
  const auto [g1, g2] = point_bytes(shape.curve);
  header.points = PENSTOCK_TRY(cursor.take(3 * g1 + 3 * g2));
  PENSTOCK_TRY(cursor.expect_end());
  return header;
}

Status check_sizes(const BinaryContainer& container, const KeyShape& shape) {
  const auto [g1, g2] = point_bytes(shape.curve);
  const std::uint64_t variables = shape.variables;
  const std::uint64_t publics = shape.publics;
  const struct {
    zkey::SectionType type;
    std::uint64_t count, record_bytes;
  } expected[] = {
      {zkey::ic, publics + 1, g1},
      {zkey::a, variables, g1},
      {zkey::b1, variables, g1},
      {zkey::b2, variables, g2},
      {zkey::c, variables - publics - 1, g1},
      {zkey::h, shape.domain_size, g1},
  };
  for (const auto& row : expected) {
    const auto section = PENSTOCK_TRY(container.require(row.type));
    PENSTOCK_TRY(expect_records(section, row.count, row.record_bytes));
  }
  return {};
}

Status check_coefficient(const Coefficient& entry, const KeyShape& shape, const Scalar& modulus,
                         std::uint64_t offset) {
  const auto out_of_range = [&](const char* field, std::uint32_t found, std::uint32_t limit,
                                std::uint64_t place) {
    return at(offset + place, ErrorCode::index_out_of_range,
              std::string("a coefficient's ") + field + " is " + std::to_string(found) + ", the limit is " +
                  std::to_string(limit - 1));
  };
  if (entry.matrix > 1) return out_of_range("matrix", entry.matrix, 2, 0);
  if (entry.constraint >= shape.domain_size)
    return out_of_range("row", entry.constraint, shape.domain_size, 4);
  if (entry.signal >= shape.variables) return out_of_range("signal", entry.signal, shape.variables, 8);
  const auto value = scalar_at(entry.value);
  if (!is_below(value, modulus))
    return at(offset + 12, ErrorCode::not_canonical, "a coefficient is not below the scalar field's prime");
  return {};
}

Result<UnalignedSpan<Coefficient>> read_coefficients(const Section& section, const KeyShape& shape) {
  auto cursor = section.cursor();
  const auto count = PENSTOCK_TRY(cursor.u32());
  const Section entries{section.type, cursor.file_offset(), section.bytes.subspan(cursor.position())};
  PENSTOCK_TRY(expect_records(entries, count, sizeof(Coefficient)));
  const UnalignedSpan<Coefficient> coefficients(entries.bytes);
  const Scalar modulus = scalar_modulus(shape.curve);
  const auto check = [&](std::uint64_t i) {
    return check_coefficient(coefficients[i], shape, modulus, entries.offset + i * sizeof(Coefficient));
  };
  const int threads = static_cast<int>(std::thread::hardware_concurrency());
  const auto bad = lowest_bad_index(coefficients.size(), threads, coefficients_per_thread,
                                    [&](std::uint64_t i) { return !check(i).ok(); });
  if (bad) PENSTOCK_TRY(check(*bad));
  return coefficients;
}

struct ContributionRecord {
  bool insecure_dev = false;
  std::uint32_t count = 0;
};

/// Section 10 proves nothing and may be absent; what is there must be whole.
Result<ContributionRecord> read_contributions(const BinaryContainer& container) {
  ContributionRecord record;
  const auto* section = container.find(zkey::contributions);
  if (section == nullptr) return record;
  auto cursor = section->cursor();
  const auto circuit_hash = PENSTOCK_TRY(cursor.take(zkey::circuit_hash_bytes));
  record.insecure_dev =
      std::memcmp(circuit_hash.data(), zkey::insecure_dev_mark.data(), zkey::insecure_dev_mark.size()) == 0;
  record.count = PENSTOCK_TRY(cursor.u32());
  return record;
}

}  // namespace

Result<std::shared_ptr<const ProvingKey>> ProvingKey::open(const std::filesystem::path& path) {
  auto file = PENSTOCK_TRY(MappedFile::open(path));
  const std::shared_ptr<ProvingKey> key(new ProvingKey(std::move(file)));
  if (auto parsed = key->parse(); !parsed.ok()) return std::move(parsed).error().in(path.string());
  return std::shared_ptr<const ProvingKey>(key);
}

Status ProvingKey::parse() {
  const auto container = PENSTOCK_TRY(BinaryContainer::parse(file_.bytes(), zkey_kind));
  const auto protocol = PENSTOCK_TRY(container.require(zkey::protocol));
  PENSTOCK_TRY(check_protocol(protocol));
  const auto header_section = PENSTOCK_TRY(container.require(zkey::groth_header));
  const auto header = PENSTOCK_TRY(read_header(header_section));
  shape_ = header.shape;
  header_points_ = header.points;
  PENSTOCK_TRY(check_sizes(container, shape_));
  const auto entries = PENSTOCK_TRY(container.require(zkey::coefficients));
  coefficients_ = PENSTOCK_TRY(read_coefficients(entries, shape_));
  const auto record = PENSTOCK_TRY(read_contributions(container));
  insecure_dev_ = record.insecure_dev;
  contributions_ = record.count;
  for (const auto& section : container.sections())
    if (section.type < std::size(sections_)) sections_[section.type] = section.bytes;
  return {};
}

template <class C>
KeyView<C> ProvingKey::view() const {
  using G1 = typename C::G1;
  using G2 = typename C::G2;
  KeyView<C> view;
  const auto* next = header_points_.data();
  const auto take = [&next](auto& point) {
    std::memcpy(&point, next, sizeof(point));
    next += sizeof(point);
  };
  take(view.alpha1);
  take(view.beta1);
  take(view.beta2);
  take(view.gamma2);
  take(view.delta1);
  take(view.delta2);
  view.ic = UnalignedSpan<G1>(sections_[zkey::ic]);
  view.a = UnalignedSpan<G1>(sections_[zkey::a]);
  view.b1 = UnalignedSpan<G1>(sections_[zkey::b1]);
  view.b2 = UnalignedSpan<G2>(sections_[zkey::b2]);
  view.c = UnalignedSpan<G1>(sections_[zkey::c]);
  view.h = UnalignedSpan<G1>(sections_[zkey::h]);
  return view;
}
template KeyView<algebra::Bn254> ProvingKey::view() const;
template KeyView<algebra::Bls12_381> ProvingKey::view() const;

AnyVerificationKey ProvingKey::verification_key() const {
  return algebra::with_curve(shape_.curve, [&]<class C>(std::type_identity<C>) -> AnyVerificationKey {
    const auto points = view<C>();
    VerificationKey<C> key{points.alpha1, points.beta2, points.gamma2, points.delta2, {}};
    key.ic.reserve(points.ic.size());
    for (std::size_t i = 0; i < points.ic.size(); ++i) key.ic.push_back(points.ic[i]);
    return key;
  });
}

std::vector<std::string> warnings(const ProvingKey& key) {
  std::vector<std::string> found;
  algebra::with_curve(key.shape().curve, [&]<class C>(std::type_identity<C>) {
    const auto points = key.view<C>();
    const auto holds_infinity = [](const auto& span) {
      for (std::size_t i = 0; i < span.size(); ++i)
        if (span[i].is_infinity()) return true;
      return false;
    };
    if (holds_infinity(points.ic))
      found.emplace_back(
          "section 3 (IC) holds a point at infinity: some public signal is not bound by the proof");
    if (holds_infinity(points.h)) found.emplace_back("section 9 (H) holds a point at infinity");
    const auto generator = C::g2_generator();
    if (points.gamma2 == generator && points.delta2 == generator)
      found.emplace_back(
          "the key has no phase 2 contribution (gamma2 = delta2 = generator): anybody can forge proofs");
  });
  if (key.insecure_dev())
    found.emplace_back("the key was made by setup --insecure-dev: its maker can forge proofs");
  return found;
}

}  // namespace penstock::circuit
