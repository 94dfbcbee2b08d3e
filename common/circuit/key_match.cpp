// Does a key belong to an R1CS? Both sides become the same sorted list of (matrix, row, signal, value) with
// repeated entries summed and zeros dropped; then they must be equal. Cost: 48 bytes and a sort step per
// entry of each side.
#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "common/algebra/curves.hpp"
#include "common/circuit/proving_key.hpp"
#include "common/circuit/r1cs.hpp"

namespace penstock::circuit {
namespace {

enum Matrix : std::uint32_t { matrix_a = 0, matrix_b = 1 };

template <class Fr>
struct Entry {
  std::uint32_t matrix, row, signal;
  Fr value;  ///< as in section 4: n*R^2, taken as a residue of its own
  [[nodiscard]] auto place() const { return std::tuple(matrix, row, signal); }
};

template <class Fr>
using Entries = std::vector<Entry<Fr>>;

template <class Fr>
void normalize(Entries<Fr>& entries) {
  std::ranges::sort(entries, {}, &Entry<Fr>::place);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < entries.size();) {
    Entry<Fr> sum = entries[i++];
    for (; i < entries.size() && entries[i].place() == sum.place(); ++i) sum.value += entries[i].value;
    if (!sum.value.is_zero()) entries[kept++] = sum;
  }
  entries.resize(kept);
}

template <class Fr>
Entries<Fr> entries_of(const ProvingKey& key) {
  const auto coefficients = key.coefficients();
  Entries<Fr> entries;
  entries.reserve(coefficients.size());
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    const auto entry = coefficients[i];
    Scalar value;
    std::memcpy(value.data(), entry.value, sizeof(value));
    entries.push_back({entry.matrix, entry.constraint, entry.signal, Fr::from_montgomery(value)});
  }
  normalize(entries);
  return entries;
}

/// n as section 4 stores it, n*R^2 mod r.
template <class Fr>
Fr stored_form(const Scalar& plain) {
  return Fr::from_limbs(Fr::from_limbs(plain).montgomery_limbs());
}

template <class Fr>
void append_row(Entries<Fr>& entries, Matrix matrix, std::uint32_t row, const LinearCombination& terms) {
  for (std::size_t i = 0; i < terms.terms.size(); ++i) {
    const auto term = terms.terms[i];
    Scalar coefficient;
    std::memcpy(coefficient.data(), term.coefficient, sizeof(coefficient));
    entries.push_back({matrix, row, term.wire, stored_form<Fr>(coefficient)});
  }
}

template <class Fr>
Entries<Fr> entries_of(const R1cs& r1cs) {
  const auto& shape = r1cs.shape();
  Entries<Fr> entries;
  for (std::uint32_t i = 0; i < shape.constraints; ++i) {
    const auto constraint = r1cs.constraint(i);
    append_row(entries, matrix_a, i, constraint.a);
    append_row(entries, matrix_b, i, constraint.b);
  }
  for (std::uint32_t signal = 0; signal <= shape.publics(); ++signal)
    entries.push_back({matrix_a, shape.constraints + signal, signal, stored_form<Fr>({1, 0, 0, 0})});
  normalize(entries);
  return entries;
}

Error mismatch(std::string what) {
  return Error{.code = ErrorCode::key_mismatch,
               .what = std::move(what),
               .hint = "the key was made for another circuit, or for another compilation of it"};
}

Status compare_shapes(const KeyShape& key, const R1csShape& r1cs) {
  const auto differ = [](const char* what, std::uint64_t in_key, std::uint64_t in_r1cs) {
    return mismatch(std::string("the key has ") + std::to_string(in_key) + " " + what + ", the circuit " +
                    std::to_string(in_r1cs));
  };
  if (key.curve != r1cs.curve)
    return Error{.code = ErrorCode::curve_mismatch,
                 .what = "the key is on " + std::string(name(key.curve)) + ", the circuit over " +
                         std::string(name(r1cs.curve))};
  if (key.variables != r1cs.wires) return differ("wires", key.variables, r1cs.wires);
  if (key.publics != r1cs.publics()) return differ("public signals", key.publics, r1cs.publics());
  const std::uint64_t rows = std::uint64_t{r1cs.constraints} + r1cs.publics() + 1;
  if (key.domain_size < rows) return differ("rows", key.domain_size, rows);
  return {};
}

template <class Fr>
Status compare_entries(const ProvingKey& key, const R1cs& r1cs) {
  const auto in_key = entries_of<Fr>(key);
  const auto in_r1cs = entries_of<Fr>(r1cs);
  const auto same = [](const Entry<Fr>& left, const Entry<Fr>& right) {
    return left.place() == right.place() && left.value == right.value;
  };
  const auto [left, right] = std::ranges::mismatch(in_key, in_r1cs, same);
  if (left == in_key.end() && right == in_r1cs.end()) return {};
  const bool key_first = right == in_r1cs.end() || (left != in_key.end() && left->place() < right->place());
  const auto& where = key_first ? *left : *right;
  return mismatch(std::string("matrix ") + (where.matrix == matrix_a ? "A" : "B") + " differs at row " +
                  std::to_string(where.row) + ", wire " + std::to_string(where.signal));
}

}  // namespace

Status check_key_matches(const ProvingKey& key, const R1cs& r1cs) {
  PENSTOCK_TRY(compare_shapes(key.shape(), r1cs.shape()));
  return algebra::with_curve(key.shape().curve, [&]<class C>(std::type_identity<C>) {
    return compare_entries<typename C::Fr>(key, r1cs);
  });
}

}  // namespace penstock::circuit
