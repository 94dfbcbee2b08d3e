#include "services/cli/proof_files.hpp"

#include "common/circuit/file_io.hpp"
#include "common/circuit/proof_json.hpp"

namespace penstock::cli {
namespace {

constexpr std::uint64_t max_json_bytes = std::uint64_t{256} << 20;
constexpr unsigned readable_by_all = 0644;

template <class T>
Result<T> attributed(Result<T> result, const std::filesystem::path& path) {
  if (result) return result;
  return std::move(result).error().in(path.string());
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

}  // namespace

Result<circuit::AnyVerificationKey> read_verification_key(const std::filesystem::path& path) {
  const std::string text = PENSTOCK_TRY(circuit::read_text_file(path, max_json_bytes));
  return attributed(circuit::verification_key_from_json(text), path);
}

Result<circuit::PublicSignals> read_publics(const std::filesystem::path& path, CurveId curve) {
  const std::string text = PENSTOCK_TRY(circuit::read_text_file(path, max_json_bytes));
  return attributed(circuit::publics_from_json(text, curve), path);
}

Result<circuit::AnyProof> read_proof(const std::filesystem::path& path, CurveId curve) {
  const std::string text = PENSTOCK_TRY(circuit::read_text_file(path, max_json_bytes));
  return attributed(circuit::proof_from_json(text, curve), path);
}

Status write_proof_files(const std::filesystem::path& proof_path, const std::filesystem::path& public_path,
                         const std::string& proof_json, const std::string& public_json) {
  auto proof_file = PENSTOCK_TRY(circuit::NewFile::create(proof_path, readable_by_all));
  auto public_file = PENSTOCK_TRY(circuit::NewFile::create(public_path, readable_by_all));
  PENSTOCK_TRY(proof_file.append(bytes_of(proof_json)));
  PENSTOCK_TRY(public_file.append(bytes_of(public_json)));
  // The publics first: whoever waits for the proof finds both.
  PENSTOCK_TRY(public_file.commit());
  return proof_file.commit();
}

}  // namespace penstock::cli
