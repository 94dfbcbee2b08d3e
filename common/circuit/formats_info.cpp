#include "common/circuit/formats_info.hpp"

#include <array>
#include <cstring>
#include <string_view>

#include "common/circuit/binary_container.hpp"
#include "common/circuit/proving_key.hpp"
#include "common/circuit/r1cs.hpp"
#include "common/circuit/witness.hpp"

namespace penstock::circuit {
namespace {

std::string number(std::uint64_t value) {
  return std::to_string(value);
}

Result<FileFacts> describe_key(const std::filesystem::path& path) {
  const auto key = PENSTOCK_TRY(ProvingKey::open(path));
  const auto& shape = key->shape();
  FileFacts facts = {
      {"format", "zkey"},
      {"protocol", "groth16"},
      {"curve", std::string(name(shape.curve))},
      {"size_bytes", number(key->size_bytes())},
      {"wires", number(shape.variables)},
      {"publics", number(shape.publics)},
      {"domain_size", number(shape.domain_size)},
      {"domain_log2", number(static_cast<std::uint64_t>(shape.domain_log2))},
      {"coefficients", number(key->coefficients().size())},
      {"contributions", number(key->contributions())},
      {"insecure_dev", key->insecure_dev() ? "true" : "false"},
      {"content_hash", key->content_hash()},
  };
  for (auto& warning : warnings(*key)) facts.emplace_back("warning", std::move(warning));
  return facts;
}

Result<FileFacts> describe_r1cs(const std::filesystem::path& path) {
  const auto r1cs = PENSTOCK_TRY(R1cs::open(path));
  const auto& shape = r1cs->shape();
  return FileFacts{
      {"format", "r1cs"},
      {"curve", std::string(name(shape.curve))},
      {"wires", number(shape.wires)},
      {"constraints", number(shape.constraints)},
      {"public_outputs", number(shape.public_outputs)},
      {"public_inputs", number(shape.public_inputs)},
      {"private_inputs", number(shape.private_inputs)},
      {"labels", number(shape.labels)},
  };
}

Result<FileFacts> describe_witness(const std::filesystem::path& path) {
  const auto witness = PENSTOCK_TRY(Witness::read(path));
  return FileFacts{
      {"format", "wtns"},
      {"curve", std::string(name(witness.view().curve))},
      {"wires", number(witness.view().values.size())},
  };
}

}  // namespace

Result<FileFacts> describe_file(const std::filesystem::path& path) {
  const auto file = PENSTOCK_TRY(MappedFile::open(path));
  std::array<char, 4> magic{};
  if (file.bytes().size() < magic.size())
    return Error{.code = ErrorCode::file_truncated,
                 .what = "the file ends too early",
                 .file = path.string(),
                 .offset = 0};
  std::memcpy(magic.data(), file.bytes().data(), magic.size());
  const std::string_view found(magic.data(), magic.size());
  if (found == zkey_kind.magic) return describe_key(path);
  if (found == r1cs_kind.magic) return describe_r1cs(path);
  if (found == wtns_kind.magic) return describe_witness(path);
  return Error{.code = ErrorCode::bad_magic,
               .what = "the file begins like none of zkey, r1cs and wtns",
               .file = path.string(),
               .offset = 0};
}

}  // namespace penstock::circuit
