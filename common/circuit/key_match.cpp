// Does a key belong to an R1CS? Row by row, both sides become a list of (signal, value), sorted, with
// repeated signals summed and zeros dropped; then they must be equal. Cost: an index of 4 bytes an entry, two
// products a term.
#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "common/algebra/curves.hpp"
#include "common/circuit/curve_primes.hpp"
#include "common/circuit/parallel_ranges.hpp"
#include "common/circuit/proving_key.hpp"
#include "common/circuit/r1cs.hpp"

namespace penstock::circuit {
namespace {

constexpr std::uint32_t matrices = 2;  // A and B; a key holds no C
constexpr std::uint64_t rows_per_thread = 4096;

/// The entries of section 4 by row and matrix, whatever their order in the file: a counting sort of their
/// indices.
class EntryIndex {
 public:
  explicit EntryIndex(const ProvingKey& key)
      : coefficients_(key.coefficients()),
        begins_(std::size_t{key.shape().domain_size} * matrices + 1),
        order_(coefficients_.size()) {
    for (std::size_t i = 0; i < coefficients_.size(); ++i) ++begins_[slot_of(coefficients_[i]) + 1];
    for (std::size_t slot = 1; slot < begins_.size(); ++slot) begins_[slot] += begins_[slot - 1];
    auto next = begins_;
    for (std::size_t i = 0; i < coefficients_.size(); ++i)
      order_[next[slot_of(coefficients_[i])]++] = static_cast<std::uint32_t>(i);
  }
  [[nodiscard]] std::size_t slots() const { return begins_.size() - 1; }
  template <class Visit>
  void for_each(std::size_t slot, Visit visit) const {
    for (auto i = begins_[slot]; i < begins_[slot + 1]; ++i) visit(coefficients_[order_[i]]);
  }

 private:
  [[nodiscard]] static std::size_t slot_of(const Coefficient& entry) {
    return std::size_t{entry.constraint} * matrices + entry.matrix;
  }
  UnalignedSpan<Coefficient> coefficients_;
  std::vector<std::uint32_t> begins_;  // section 4 counts its entries in 32 bits
  std::vector<std::uint32_t> order_;
};

template <class Fr>
struct Term {
  std::uint32_t signal;
  Fr value;  ///< as in section 4: n*R^2, taken as a residue of its own
  bool operator==(const Term&) const = default;
};

template <class Fr>
using Row = std::vector<Term<Fr>>;

template <class Fr>
void normalize(Row<Fr>& row) {
  std::ranges::sort(row, {}, &Term<Fr>::signal);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < row.size();) {
    Term<Fr> sum = row[i++];
    for (; i < row.size() && row[i].signal == sum.signal; ++i) sum.value += row[i].value;
    if (!sum.value.is_zero()) row[kept++] = sum;
  }
  row.resize(kept);
}

/// n as section 4 stores it, n*R^2 mod r.
template <class Fr>
Fr stored_form(const Scalar& plain) {
  return Fr::from_limbs(Fr::from_limbs(plain).montgomery_limbs());
}

template <class Fr>
Row<Fr> row_of_key(const EntryIndex& index, std::size_t slot) {
  Row<Fr> row;
  index.for_each(slot, [&](const Coefficient& entry) {
    row.push_back({entry.signal, Fr::from_montgomery(scalar_at(entry.value))});
  });
  normalize(row);
  return row;
}

/// Beyond the constraints stand the rows (A, constraints + s, s, 1) of the constant and the publics, then
/// nothing.
template <class Fr>
Row<Fr> row_of_circuit(const R1cs& r1cs, std::size_t slot) {
  const auto& shape = r1cs.shape();
  const std::size_t row_number = slot / matrices;
  const bool is_a = slot % matrices == 0;
  Row<Fr> row;
  if (row_number < shape.constraints) {
    const auto constraint = r1cs.constraint(static_cast<std::uint32_t>(row_number));
    const auto terms = is_a ? constraint.a.terms : constraint.b.terms;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const auto term = terms[i];
      row.push_back({term.wire, stored_form<Fr>(scalar_at(term.coefficient))});
    }
    normalize(row);
  } else if (const auto signal = row_number - shape.constraints; is_a && signal <= shape.publics()) {
    row.push_back({static_cast<std::uint32_t>(signal), stored_form<Fr>({1, 0, 0, 0})});
  }
  return row;
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
  const EntryIndex index(key);
  const int threads = static_cast<int>(std::thread::hardware_concurrency());
  const auto slot = lowest_bad_index(index.slots(), threads, rows_per_thread, [&](std::uint64_t i) {
    return row_of_key<Fr>(index, i) != row_of_circuit<Fr>(r1cs, i);
  });
  if (!slot) return {};
  return mismatch(std::string("matrix ") + (*slot % matrices == 0 ? "A" : "B") + " differs at row " +
                  std::to_string(*slot / matrices));
}

}  // namespace

Status check_key_matches(const ProvingKey& key, const R1cs& r1cs) {
  PENSTOCK_TRY(compare_shapes(key.shape(), r1cs.shape()));
  return algebra::with_curve(key.shape().curve, [&]<class C>(std::type_identity<C>) {
    return compare_entries<typename C::Fr>(key, r1cs);
  });
}

}  // namespace penstock::circuit
