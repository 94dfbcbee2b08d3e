#include "cuda/groth16/small_circuit.hpp"

#include <cstdlib>
#include <filesystem>

#include "common/circuit/file_io.hpp"
#include "common/groth16/setup.hpp"

namespace penstock::cuda {
namespace {

using circuit::Scalar;

// Wires: 1, the result (public), one in no row (its points are infinity), the start, then one a row. Even
// rows: (x + 5·y)·x = next for the chain's last two values; odd rows: bit·bit = bit.
constexpr std::uint32_t rows = 401;
constexpr std::uint32_t result_wire = 1, start_wire = 3, wires_of_circuit = rows + 3;
constexpr std::uint64_t weight = 5, seed = 1;

constexpr std::uint32_t wire_of(std::uint32_t row) {
  return row + 1 == rows ? result_wire : start_wire + 1 + row;
}

class Bytes {
 public:
  template <class Value>
  Bytes& put(const Value& value) {
    const auto* begin = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), begin, begin + sizeof value);
    return *this;
  }
  Bytes& term(std::uint32_t wire, std::uint64_t factor) { return put(wire).put(Scalar{factor, 0, 0, 0}); }
  Bytes& row(std::uint32_t terms) { return put(terms); }
  Bytes& section(std::uint32_t type, const Bytes& payload) {
    put(type).put(std::uint64_t{payload.bytes_.size()});
    bytes_.insert(bytes_.end(), payload.bytes_.begin(), payload.bytes_.end());
    return *this;
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// The constraints as an .r1cs without labels, and the values that satisfy them.
template <class C>
std::vector<std::byte> write_rows(std::vector<Scalar>& wires) {
  using Fr = typename C::Fr;
  wires.assign(wires_of_circuit, Scalar{1, 0, 0, 0});
  std::uint32_t last = start_wire, before = start_wire;
  Fr x = Fr::from_u64(3), y = x;
  wires[start_wire] = x.to_limbs();
  Bytes constraints;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::uint32_t wire = wire_of(row);
    if (row % 2 == 1) {
      wires[wire] = {(x.limb[0] >> 7) & 1, 0, 0, 0};
      for (int side = 0; side < 3; ++side) constraints.row(1).term(wire, 1);
      continue;
    }
    if (before == last)
      constraints.row(1).term(last, 1 + weight);
    else
      constraints.row(2).term(last, 1).term(before, weight);
    constraints.row(1).term(last, 1).row(1).term(wire, 1);
    const Fr next = (x + Fr::from_u64(weight) * y) * x;
    y = x;
    x = next;
    before = last;
    last = wire;
    wires[wire] = x.to_limbs();
  }
  Bytes header, file;
  header.put(std::uint32_t{sizeof(Scalar)}).put(C::Fr::modulus()).put(wires_of_circuit);
  header.put(std::uint32_t{1})
      .put(std::uint32_t{0})
      .put(std::uint32_t{1});  // outputs, inputs, private inputs
  header.put(std::uint64_t{wires_of_circuit}).put(rows);
  file.put(std::array<char, 4>{'r', '1', 'c', 's'}).put(std::uint32_t{1}).put(std::uint32_t{2});
  return file.section(1, header).section(2, constraints).bytes();
}

class TemporaryFolder {
 public:
  [[nodiscard]] static Result<TemporaryFolder> create() {
    std::error_code none;
    std::string path = (std::filesystem::temp_directory_path(none) / "penstock-check-XXXXXX").string();
    if (none || mkdtemp(path.data()) == nullptr)
      return Error{.code = ErrorCode::file_unwritable,
                   .what = "no temporary folder can be made for the device's check",
                   .hint = "set TMPDIR to a folder that can be written",
                   .file = path};
    return TemporaryFolder(path);
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace

Result<SmallCircuit> SmallCircuit::create(CurveId curve) {
  const auto folder = PENSTOCK_TRY(TemporaryFolder::create());
  const auto r1cs_path = folder.path() / "c.r1cs", key_path = folder.path() / "c.zkey";
  SmallCircuit made;
  const auto file =
      algebra::with_curve(curve, [&](auto c) { return write_rows<typename decltype(c)::type>(made.wires); });
  PENSTOCK_TRY(circuit::write_file(r1cs_path, file, 0600));
  const auto r1cs = PENSTOCK_TRY(circuit::R1cs::open(r1cs_path));
  PENSTOCK_TRY(groth16::setup_insecure_dev(*r1cs, key_path, {.seed = seed, .threads = 1}));
  made.key = PENSTOCK_TRY(circuit::ProvingKey::open(key_path));
  return made;
}

}  // namespace penstock::cuda
