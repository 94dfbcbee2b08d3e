// Any bytes as a witness: what is accepted is written back and must be accepted again.
#include <cstdlib>

#include "common/circuit/witness.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace penstock::circuit;
  const auto witness = parse_wtns(std::as_bytes(std::span(data, size)));
  if (!witness.ok()) return 0;
  const auto written = to_wtns(*witness);
  const auto again = parse_wtns(written);
  if (!again.ok() || again->values.size() != witness->values.size()) std::abort();
  return 0;
}
