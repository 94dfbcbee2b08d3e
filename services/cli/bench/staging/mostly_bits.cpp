#include "services/cli/bench/staging/mostly_bits.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <utility>

#include "common/algebra/curves.hpp"
#include "common/circuit/file_io.hpp"

namespace penstock::cli::bench {
namespace {

using circuit::Scalar;

constexpr std::uint32_t result_wire = 1, first_wire = 2;
constexpr std::uint64_t addend = 7;
constexpr double wide_share = 0.02;
constexpr std::size_t piece_bytes = std::size_t{4} << 20;
constexpr std::uint64_t term_bytes = 4 + sizeof(Scalar);

/// Appends to a file in large pieces.
class Writer {
 public:
  explicit Writer(circuit::NewFile& file) : file_(file) {}
  Writer& u32(std::uint32_t value) { return raw(&value, sizeof(value)); }
  Writer& u64(std::uint64_t value) { return raw(&value, sizeof(value)); }
  Writer& term(std::uint32_t wire, const Scalar& factor) {
    return u32(wire).raw(factor.data(), sizeof(factor));
  }
  Writer& raw(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const std::byte*>(data);
    piece_.insert(piece_.end(), bytes, bytes + size);
    if (piece_.size() >= piece_bytes) flush();
    return *this;
  }
  [[nodiscard]] Status end() {
    flush();
    return status_;
  }

 private:
  void flush() {
    if (status_.ok()) status_ = file_.append(piece_);
    piece_.clear();
  }
  circuit::NewFile& file_;
  std::vector<std::byte> piece_;
  Status status_;
};

struct FieldFacts {
  Scalar modulus, minus_addend;
};
FieldFacts facts_of(CurveId curve) {
  return algebra::with_curve(curve, [](auto c) {
    using Fr = typename decltype(c)::type::Fr;
    return FieldFacts{Fr::modulus(), (-Fr::from_u64(addend)).to_limbs()};
  });
}

/// The wire that follows the chain's wire of constraint i.
std::uint32_t next_in_chain(const std::vector<bool>& wide, std::size_t i) {
  for (++i; i < wide.size(); ++i)
    if (wide[i]) return first_wire + static_cast<std::uint32_t>(i);
  return result_wire;
}

void write_constraints(Writer& writer, const std::vector<bool>& wide, const Scalar& minus_addend) {
  const Scalar one = {1, 0, 0, 0};
  for (std::size_t i = 0; i < wide.size(); ++i) {
    const auto wire = first_wire + static_cast<std::uint32_t>(i);
    writer.u32(1).term(wire, one).u32(1).term(wire, one);
    if (wide[i])
      writer.u32(2).term(0, minus_addend).term(next_in_chain(wide, i), one);
    else
      writer.u32(1).term(wire, one);
  }
}

}  // namespace

Result<MostlyBits> MostlyBits::create(CurveId curve, int log2) {
  MostlyBits bits;
  bits.curve_ = curve;
  bits.log2_ = log2;
  std::string folder = (std::filesystem::temp_directory_path() / "penstock-staging-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr)
    return Error{
        .code = ErrorCode::file_unwritable, .what = "no temporary folder can be made", .file = folder};
  bits.folder_ = folder;
  std::mt19937_64 random(static_cast<std::uint64_t>(log2));
  std::bernoulli_distribution is_wide(wide_share);
  bits.wide_.resize((std::size_t{1} << log2) - 2);
  for (std::size_t i = 0; i < bits.wide_.size(); ++i) bits.wide_[i] = is_wide(random);
  bits.wide_.front() = true;
  PENSTOCK_TRY(bits.write_r1cs());
  return bits;
}

Status MostlyBits::write_r1cs() const {
  const FieldFacts facts = facts_of(curve_);
  const auto steps = static_cast<std::uint64_t>(std::count(wide_.begin(), wide_.end(), true));
  const std::uint64_t constraint_bytes = wide_.size() * (3 * (4 + term_bytes)) + steps * term_bytes;
  const auto all = static_cast<std::uint32_t>(wires());
  auto file = PENSTOCK_TRY(circuit::NewFile::create(r1cs(), 0600));
  Writer writer(file);
  writer.raw("r1cs", 4).u32(1).u32(3);
  writer.u32(1).u64(4 + sizeof(Scalar) + 4 * 4 + 8 + 4);
  writer.u32(sizeof(Scalar)).raw(facts.modulus.data(), sizeof(Scalar));
  writer.u32(all).u32(1).u32(0).u32(1).u64(all).u32(static_cast<std::uint32_t>(wide_.size()));
  writer.u32(2).u64(constraint_bytes);
  write_constraints(writer, wide_, facts.minus_addend);
  writer.u32(3).u64(std::uint64_t{all} * 8);
  for (std::uint64_t wire = 0; wire < all; ++wire) writer.u64(wire);
  PENSTOCK_TRY(writer.end());
  return file.commit();
}

std::vector<Scalar> MostlyBits::witness(std::uint64_t variant) const {
  return algebra::with_curve(curve_, [&](auto c) {
    using Fr = typename decltype(c)::type::Fr;
    std::mt19937_64 random(variant);
    std::vector<Scalar> values(wires());
    values[0] = {1, 0, 0, 0};
    Fr x = Fr::from_u64(3 + variant);
    for (std::size_t i = 0; i < wide_.size(); ++i) {
      values[first_wire + i] = wide_[i] ? x.to_limbs() : Scalar{random() & 1, 0, 0, 0};
      if (wide_[i]) x = x.square() + Fr::from_u64(addend);
    }
    values[result_wire] = x.to_limbs();
    return values;
  });
}

void MostlyBits::evaluate(std::span<const Scalar> witness, std::span<Scalar> rows) const {
  std::fill(rows.begin(), rows.end(), Scalar{});
  const std::span<Scalar> a = rows.first(domain_size()), b = rows.subspan(domain_size());
  std::copy(witness.begin() + first_wire, witness.end(), a.begin());
  std::copy(witness.begin() + first_wire, witness.end(), b.begin());
  // The rows that a key adds for the constant one and the public wire.
  a[wide_.size()] = witness[0];
  a[wide_.size() + 1] = witness[result_wire];
}

MostlyBits::MostlyBits(MostlyBits&& other) noexcept
    : curve_(other.curve_),
      log2_(other.log2_),
      folder_(std::exchange(other.folder_, {})),
      wide_(std::move(other.wide_)) {}

MostlyBits::~MostlyBits() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

}  // namespace penstock::cli::bench
