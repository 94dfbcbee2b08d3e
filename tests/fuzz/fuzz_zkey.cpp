// Any bytes as a proving key: what opens is read whole, hashed, and its points are checked.
#include <cstdlib>

#include "common/circuit/proof_json.hpp"
#include "common/circuit/proving_key.hpp"
#include "tests/fuzz/memory_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace penstock::circuit;
  const penstock::fuzz::MemoryFile file(data, size);
  const auto key = ProvingKey::open(file.path());
  if (!key.ok()) return 0;
  const auto& shape = (*key)->shape();
  for (std::size_t i = 0; i < (*key)->coefficients().size(); ++i) {
    const auto entry = (*key)->coefficients()[i];
    if (entry.matrix > 1 || entry.constraint >= shape.domain_size || entry.signal >= shape.variables)
      std::abort();
  }
  if ((*key)->content_hash().size() != 64) std::abort();
  const auto checked = check_points(**key, nullptr, 1);
  if (checked.ok() && warnings(**key).size() > 4) std::abort();
  return 0;
}
