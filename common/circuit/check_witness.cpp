#include <algorithm>
#include <optional>
#include <string>

#include "common/algebra/curves.hpp"
#include "common/circuit/curve_primes.hpp"
#include "common/circuit/parallel_ranges.hpp"
#include "common/circuit/r1cs.hpp"

namespace penstock::circuit {
namespace {

constexpr std::uint64_t constraints_per_thread = 4096;  // below this a thread costs more than it saves
constexpr std::size_t max_named_signals = 8;
constexpr std::size_t max_name_chars = 200;

/// What rows are compared in: every sum of coefficient * wire comes times 1/R, for both factors are plain and
/// a Montgomery product divides by R once. Wires with coefficient 1 or -1, most of them, are summed before
/// one product.
template <class Fr>
class Rows {
 public:
  explicit Rows(UnalignedSpan<Scalar> wires) : wires_(wires) {}

  [[nodiscard]] Fr over_r(const LinearCombination& row) const {
    Fr sum = Fr::zero(), of_ones = Fr::zero();
    for (std::size_t i = 0; i < row.terms.size(); ++i) {
      const auto term = row.terms[i];
      const auto coefficient = scalar_at(term.coefficient);
      const auto wire = Fr::from_montgomery(wires_[term.wire]);
      if (coefficient == one)
        of_ones += wire;
      else if (coefficient == minus_one_)
        of_ones -= wire;
      else
        sum += Fr::from_montgomery(coefficient) * wire;
    }
    return sum + of_ones * plain_one();
  }
  [[nodiscard]] static Fr plain_one() { return Fr::from_montgomery(one); }

 private:
  static constexpr Scalar one = {1, 0, 0, 0};
  UnalignedSpan<Scalar> wires_;
  Scalar minus_one_ = (-Fr::one()).to_limbs();
};

/// a*b = c. With every row divided by R, the product a*b comes out divided by R^3 and c by R: two more
/// products by the plain one divide c by R^2.
template <class Fr>
bool holds(const Constraint& constraint, const Rows<Fr>& rows) {
  const Fr plain_one = Rows<Fr>::plain_one();
  return rows.over_r(constraint.a) * rows.over_r(constraint.b) ==
         rows.over_r(constraint.c) * plain_one * plain_one;
}

template <class Fr>
std::optional<std::uint64_t> first_broken(const R1cs& r1cs, UnalignedSpan<Scalar> wires, int threads) {
  const Rows<Fr> rows(wires);
  return lowest_bad_index(r1cs.shape().constraints, threads, constraints_per_thread, [&](std::uint64_t i) {
    return !holds(r1cs.constraint(static_cast<std::uint32_t>(i)), rows);
  });
}

/// The distinct wires of a constraint in their order of appearance, by name where names are known; the
/// constant one is left out.
std::string signals_of(const Constraint& constraint, const R1cs& r1cs, const SymbolTable* symbols) {
  std::vector<std::uint32_t> wires;
  bool more = false;
  for (const auto* row : {&constraint.a, &constraint.b, &constraint.c})
    for (std::size_t i = 0; i < row->terms.size() && !more; ++i) {
      const auto wire = row->terms[i].wire;
      if (wire == 0 || std::ranges::find(wires, wire) != wires.end()) continue;
      more = wires.size() == max_named_signals;
      if (!more) wires.push_back(wire);
    }
  std::string text;
  for (const auto wire : wires) {
    if (!text.empty()) text += ", ";
    const auto called =
        symbols != nullptr ? symbols->name_of(r1cs.label(wire)) : "wire " + std::to_string(wire);
    text += called.substr(0, max_name_chars);
  }
  if (text.empty()) return "no signal";
  return more ? text + " and more" : text;
}

}  // namespace

Status check_witness(const R1cs& r1cs, const WitnessView& witness, const SymbolTable* symbols, int threads) {
  const auto& shape = r1cs.shape();
  if (shape.curve != witness.curve)
    return Error{.code = ErrorCode::curve_mismatch,
                 .what = "the witness is over " + std::string(name(witness.curve)) + ", the circuit over " +
                         std::string(name(shape.curve))};
  if (shape.wires != witness.values.size())
    return Error{.code = ErrorCode::size_mismatch,
                 .what = "the witness has " + std::to_string(witness.values.size()) + " wires, the circuit " +
                         std::to_string(shape.wires)};
  const auto broken = algebra::with_curve(shape.curve, [&]<class C>(std::type_identity<C>) {
    return first_broken<typename C::Fr>(r1cs, witness.values, threads);
  });
  if (!broken) return {};
  return Error{
      .code = ErrorCode::witness_unsatisfied,
      .what = "constraint " + std::to_string(*broken) + " does not hold for " +
              signals_of(r1cs.constraint(static_cast<std::uint32_t>(*broken)), r1cs, symbols),
      .hint = "the witness does not belong to this circuit, or its inputs break the circuit's rules"};
}

}  // namespace penstock::circuit
