#include "services/cli/bench/squarings.hpp"

#include <cstdlib>
#include <cstring>
#include <utility>

#include "common/circuit/file_io.hpp"

namespace penstock::cli::bench {
namespace {

using circuit::Scalar;

class Bytes {
 public:
  Bytes& u32(std::uint32_t value) { return raw(&value, sizeof(value)); }
  Bytes& u64(std::uint64_t value) { return raw(&value, sizeof(value)); }
  Bytes& scalar(const Scalar& value) { return raw(value.data(), sizeof(value)); }
  Bytes& raw(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), bytes, bytes + size);
    return *this;
  }
  Bytes& section(std::uint32_t type, const Bytes& payload) {
    return u32(type).u64(payload.bytes_.size()).raw(payload.bytes_.data(), payload.bytes_.size());
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

// Wires: 1, the result (public), the start (private), then one a constraint: the chain's next value,
// x_i * x_i = x_(i+1) - c, or a bit, b * b = b. The last constraint is the chain's and gives the result.
constexpr std::uint32_t result_wire = 1, start_wire = 2, first_inner_wire = 3;
constexpr std::uint64_t addend = 7;
/// Of a boolean-heavy circuit: one constraint in so many belongs to the chain, the others are bits.
constexpr std::uint32_t chain_every = 50;

struct Shape {
  std::uint32_t steps = 0;
  Mix mix = Mix::full_width;
  [[nodiscard]] std::uint32_t wires() const { return steps + 2; }
  [[nodiscard]] std::uint32_t wire_of(std::uint32_t step) const {
    return step + 1 == steps ? result_wire : first_inner_wire + step;
  }
  [[nodiscard]] bool is_chain(std::uint32_t step) const {
    return mix == Mix::full_width || step % chain_every == 0 || step + 1 == steps;
  }
};

constexpr std::uint64_t row_bytes(std::uint64_t terms) {
  return 4 + terms * 36;
}

template <class C>
Status append_constraints(circuit::NewFile& file, const Shape& shape) {
  using Fr = typename C::Fr;
  const Scalar one = {1, 0, 0, 0}, minus_addend = (-Fr::from_u64(addend)).to_limbs();
  std::uint64_t chain = 0;
  for (std::uint32_t step = 0; step < shape.steps; ++step) chain += shape.is_chain(step) ? 1 : 0;
  Bytes piece;
  piece.u32(2).u64(shape.steps * (2 * row_bytes(1)) + chain * row_bytes(2) +
                   (shape.steps - chain) * row_bytes(1));
  std::uint32_t last = start_wire;
  for (std::uint32_t step = 0; step < shape.steps; ++step) {
    const std::uint32_t wire = shape.wire_of(step);
    if (shape.is_chain(step)) {
      piece.u32(1).u32(last).scalar(one).u32(1).u32(last).scalar(one);
      piece.u32(2).u32(0).scalar(minus_addend).u32(wire).scalar(one);
      last = wire;
    } else {
      for (int row = 0; row < 3; ++row) piece.u32(1).u32(wire).scalar(one);
    }
    if (piece.bytes().size() > (std::size_t{1} << 20)) {
      PENSTOCK_TRY(file.append(piece.bytes()));
      piece = {};
    }
  }
  return file.append(piece.bytes());
}

template <class C>
Status write_r1cs(const std::filesystem::path& path, const Shape& shape) {
  auto file = PENSTOCK_TRY(circuit::NewFile::create(path, 0600));
  Bytes header, head;
  header.u32(sizeof(Scalar)).scalar(C::Fr::modulus()).u32(shape.wires()).u32(1).u32(0).u32(1);
  header.u64(shape.wires()).u32(shape.steps);
  head.raw("r1cs", 4).u32(1).u32(2).section(1, header);  // without a section of labels: wires are their own
  PENSTOCK_TRY(file.append(head.bytes()));
  PENSTOCK_TRY(append_constraints<C>(file, shape));
  return file.commit();
}

template <class C>
std::vector<Scalar> values_of(const Shape& shape) {
  using Fr = typename C::Fr;
  std::vector<Scalar> values(shape.wires());
  values[0] = {1, 0, 0, 0};
  Fr x = Fr::from_u64(3);
  values[start_wire] = x.to_limbs();
  for (std::uint32_t step = 0; step < shape.steps; ++step) {
    Scalar& value = values[shape.wire_of(step)];
    if (shape.is_chain(step)) {
      x = x.square() + Fr::from_u64(addend);
      value = x.to_limbs();
    } else {
      value = {(x.limb[0] >> (step % 61)) & 1, 0, 0, 0};
    }
  }
  return values;
}

}  // namespace

Result<Squarings> Squarings::create(CurveId curve, int log2, Mix mix) {
  Squarings squarings;
  squarings.curve_ = curve;
  std::string folder = (std::filesystem::temp_directory_path() / "penstock-bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr)
    return Error{
        .code = ErrorCode::file_unwritable, .what = "no temporary folder can be made", .file = folder};
  squarings.folder_ = folder;
  // The key's domain also holds the public wire and the constant one.
  const Shape shape{(std::uint32_t{1} << log2) - 2, mix};
  PENSTOCK_TRY(algebra::with_curve(curve, [&](auto c) -> Status {
    using C = typename decltype(c)::type;
    squarings.values_ = values_of<C>(shape);
    return write_r1cs<C>(squarings.r1cs(), shape);
  }));
  return squarings;
}

Squarings::Squarings(Squarings&& other) noexcept
    : curve_(other.curve_), folder_(std::exchange(other.folder_, {})), values_(std::move(other.values_)) {}

Squarings::~Squarings() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

}  // namespace penstock::cli::bench
