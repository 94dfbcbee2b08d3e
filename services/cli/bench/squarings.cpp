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

// Wires: 1, the result (public), the start (private), then the chain. Constraint i: x_i * x_i = x_(i+1) - c.
constexpr std::uint32_t result_wire = 1, start_wire = 2, first_inner_wire = 3;
constexpr std::uint64_t addend = 7;

std::uint32_t wire_after(std::uint32_t step, std::uint32_t steps) {
  return step + 1 == steps ? result_wire : first_inner_wire + step;
}

Bytes constraints_section(std::uint32_t steps, const Scalar& minus_addend) {
  const Scalar one = {1, 0, 0, 0};
  Bytes section;
  std::uint32_t wire = start_wire;
  for (std::uint32_t step = 0; step < steps; ++step) {
    const std::uint32_t next = wire_after(step, steps);
    section.u32(1).u32(wire).scalar(one).u32(1).u32(wire).scalar(one);
    section.u32(2).u32(0).scalar(minus_addend).u32(next).scalar(one);
    wire = next;
  }
  return section;
}

template <class C>
Bytes r1cs_file(std::uint32_t steps) {
  using Fr = typename C::Fr;
  const std::uint32_t wires = steps + 2;
  Bytes header;
  header.u32(sizeof(Scalar)).scalar(Fr::modulus()).u32(wires).u32(1).u32(0).u32(1).u64(wires).u32(steps);
  Bytes labels;
  for (std::uint64_t wire = 0; wire < wires; ++wire) labels.u64(wire);
  Bytes file;
  file.raw("r1cs", 4).u32(1).u32(3).section(1, header);
  file.section(2, constraints_section(steps, (-Fr::from_u64(addend)).to_limbs())).section(3, labels);
  return file;
}

template <class C>
std::vector<Scalar> values_of(std::uint32_t steps) {
  using Fr = typename C::Fr;
  std::vector<Scalar> values(steps + 2);
  values[0] = {1, 0, 0, 0};
  Fr x = Fr::from_u64(3);
  values[start_wire] = x.to_limbs();
  for (std::uint32_t step = 0; step < steps; ++step) {
    x = x.square() + Fr::from_u64(addend);
    values[wire_after(step, steps)] = x.to_limbs();
  }
  return values;
}

}  // namespace

Result<Squarings> Squarings::create(CurveId curve, int log2) {
  Squarings squarings;
  squarings.curve_ = curve;
  std::string folder = (std::filesystem::temp_directory_path() / "penstock-bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr)
    return Error{
        .code = ErrorCode::file_unwritable, .what = "no temporary folder can be made", .file = folder};
  squarings.folder_ = folder;
  // The key's domain also holds the public wire and the constant one.
  const std::uint32_t steps = (std::uint32_t{1} << log2) - 2;
  const Bytes file =
      algebra::with_curve(curve, [&](auto c) { return r1cs_file<typename decltype(c)::type>(steps); });
  squarings.values_ =
      algebra::with_curve(curve, [&](auto c) { return values_of<typename decltype(c)::type>(steps); });
  PENSTOCK_TRY(circuit::write_file(squarings.r1cs(), file.bytes(), 0600));
  return squarings;
}

Squarings::Squarings(Squarings&& other) noexcept
    : curve_(other.curve_), folder_(std::exchange(other.folder_, {})), values_(std::move(other.values_)) {}

Squarings::~Squarings() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

}  // namespace penstock::cli::bench
