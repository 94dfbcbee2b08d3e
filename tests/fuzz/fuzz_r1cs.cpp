// Any bytes as an R1CS: every constraint that is accepted is read, and checked with a witness of ones.
#include <cstdlib>
#include <vector>

#include "common/circuit/r1cs.hpp"
#include "tests/fuzz/memory_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace penstock::circuit;
  const penstock::fuzz::MemoryFile file(data, size);
  const auto r1cs = R1cs::open(file.path());
  if (!r1cs.ok()) return 0;
  const auto& shape = (*r1cs)->shape();
  for (std::uint32_t i = 0; i < shape.constraints; ++i) {
    const auto constraint = (*r1cs)->constraint(i);
    for (std::size_t term = 0; term < constraint.a.terms.size(); ++term)
      if (constraint.a.terms[term].wire >= shape.wires) std::abort();
  }
  constexpr std::uint32_t most_wires = 1U << 20;  // the header alone may announce billions
  if (shape.wires > most_wires) return 0;
  const std::vector<Scalar> ones(shape.wires, Scalar{1, 0, 0, 0});
  const auto checked = check_witness(**r1cs, {shape.curve, std::span(ones)}, nullptr, 1);
  if (!checked.ok() && checked.error().what.empty()) std::abort();
  return 0;
}
