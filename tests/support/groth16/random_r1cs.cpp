#include "tests/support/groth16/random_r1cs.hpp"

#include <fstream>
#include <string>
#include <utility>

#include "common/algebra/curves.hpp"

namespace penstock::groth16::testing {
namespace {

using circuit::Scalar;

template <class T>
void put(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class Fr>
struct Row {
  std::vector<std::pair<std::uint32_t, Fr>> terms;
  [[nodiscard]] Fr value(const std::vector<Fr>& wires) const {
    Fr sum = Fr::zero();
    for (const auto& [wire, coefficient] : terms) sum += coefficient * wires[wire];
    return sum;
  }
  void append_to(std::string& out) const {
    put(out, static_cast<std::uint32_t>(terms.size()));
    for (const auto& [wire, coefficient] : terms) {
      put(out, wire);
      put(out, coefficient.to_limbs());
    }
  }
};

template <class Fr>
class Writer {
 public:
  Writer(const R1csRecipe& recipe) : recipe_(recipe), wires_(recipe.wires(), Fr::zero()) {
    wires_[0] = Fr::one();
  }

  std::vector<Fr>& wires() { return wires_; }
  void constraint(const Row<Fr>& a, const Row<Fr>& b, const Row<Fr>& c) {
    for (const Row<Fr>* row : {&a, &b, &c}) row->append_to(constraints_);
  }

  std::vector<Scalar> finish(const std::filesystem::path& path) {
    std::string header, labels, file = "r1cs";
    put(header, std::uint32_t{32});
    put(header, Fr::modulus());
    for (const std::uint32_t count :
         {recipe_.wires(), recipe_.outputs, recipe_.public_inputs, recipe_.private_inputs})
      put(header, count);
    put(header, std::uint64_t{recipe_.wires()});
    put(header, recipe_.constraints);
    for (std::uint64_t wire = 0; wire < recipe_.wires(); ++wire) put(labels, wire);
    put(file, std::uint32_t{1});
    put(file, std::uint32_t{3});
    std::uint32_t type = 0;
    for (const std::string* section : {&header, &constraints_, &labels}) {
      put(file, ++type);
      put(file, std::uint64_t{section->size()});
      file += *section;
    }
    std::ofstream(path, std::ios::binary) << file;
    std::vector<Scalar> plain;
    for (const Fr& wire : wires_) plain.push_back(wire.to_limbs());
    return plain;
  }

 private:
  R1csRecipe recipe_;
  std::vector<Fr> wires_;
  std::string constraints_;
};

template <class C>
std::vector<Scalar> write_random(const R1csRecipe& recipe, const std::filesystem::path& path) {
  using Fr = typename C::Fr;
  std::mt19937_64 random(recipe.seed);
  Writer<Fr> writer(recipe);
  std::vector<Fr>& wires = writer.wires();
  const auto value = [&] {
    if (recipe.witness == WitnessKind::mostly_bits && random() % 50 != 0) return Fr::from_u64(random() % 2);
    return Fr::from_limbs(random_scalar(C::id, random));
  };
  // Inputs first; then outputs and internal wires are what constraints compute, as long as any are left.
  std::vector<std::uint32_t> free;
  for (std::uint32_t wire = 1; wire < recipe.wires(); ++wire) {
    const bool is_input = wire > recipe.outputs && wire <= recipe.publics() + recipe.private_inputs;
    if (is_input) wires[wire] = value();
    if (!is_input) free.push_back(wire);
  }
  std::uint32_t known_free = 0;
  const auto any_known = [&]() -> std::uint32_t {
    const std::uint32_t inputs = recipe.public_inputs + recipe.private_inputs;
    const std::uint32_t pick = static_cast<std::uint32_t>(random() % (1 + inputs + known_free));
    if (pick == 0) return 0;
    return pick <= inputs ? recipe.outputs + pick : free[pick - inputs - 1];
  };
  const auto combination = [&](std::uint32_t terms) {
    Row<Fr> row;
    if (terms == 0) row.terms.push_back({0, Fr::one()});
    for (std::uint32_t i = 0; i < terms; ++i) {
      const bool small = recipe.witness == WitnessKind::mostly_bits || random() % 2 == 0;
      row.terms.push_back({any_known(), small ? Fr::from_i64(static_cast<std::int64_t>(random() % 5) - 2)
                                              : Fr::from_limbs(random_scalar(C::id, random))});
    }
    return row;
  };
  for (std::uint32_t i = 0; i < recipe.constraints; ++i) {
    const Row<Fr> a = combination(1 + static_cast<std::uint32_t>(random() % (recipe.terms + 1)));
    const Row<Fr> b =
        combination(recipe.terms == 0 ? 0 : 1 + static_cast<std::uint32_t>(random() % recipe.terms));
    const Fr product = a.value(wires) * b.value(wires);
    Row<Fr> c;
    if (known_free < free.size()) {
      wires[free[known_free]] = product;
      c.terms.push_back({free[known_free++], Fr::one()});
    } else {
      c = combination(2);
      c.terms.push_back({0, product - c.value(wires)});
    }
    writer.constraint(a, b, c);
  }
  return writer.finish(path);
}

template <class C>
std::vector<Scalar> write_chain(std::uint32_t constraints, const std::filesystem::path& path) {
  using Fr = typename C::Fr;
  Writer<Fr> writer({.curve = C::id,
                     .constraints = constraints,
                     .outputs = 1,
                     .private_inputs = 1,
                     .internal = constraints - 1});
  const auto wire = [constraints](std::uint32_t i) { return i == constraints ? 1 : i + 2; };
  Fr x = Fr::from_u64(12345).inverse();
  writer.wires()[wire(0)] = x;
  for (std::uint32_t i = 0; i < constraints; ++i) {
    x *= x + Fr::one();
    writer.wires()[wire(i + 1)] = x;
    writer.constraint({{{wire(i), Fr::one()}}}, {{{0, Fr::one()}, {wire(i), Fr::one()}}},
                      {{{wire(i + 1), Fr::one()}}});
  }
  return writer.finish(path);
}

}  // namespace

Scalar random_scalar(CurveId curve, std::mt19937_64& random) {
  return algebra::with_curve(curve, [&](auto c) -> Scalar {
    using Fr = typename decltype(c)::type::Fr;
    Scalar value;
    do {
      for (std::uint64_t& limb : value) limb = random();
      value[3] &= ~std::uint64_t{0} >> __builtin_clzll(Fr::modulus()[3]);
    } while (!Fr::is_canonical(value));
    return value;
  });
}

std::vector<Scalar> write_random_r1cs(const R1csRecipe& recipe, const std::filesystem::path& path) {
  return algebra::with_curve(recipe.curve,
                             [&](auto c) { return write_random<typename decltype(c)::type>(recipe, path); });
}

std::vector<Scalar> write_chain_r1cs(CurveId curve, std::uint32_t constraints,
                                     const std::filesystem::path& path) {
  return algebra::with_curve(
      curve, [&](auto c) { return write_chain<typename decltype(c)::type>(constraints, path); });
}

}  // namespace penstock::groth16::testing
