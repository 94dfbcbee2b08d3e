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

bool is_one_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code missing;
  if (std::filesystem::equivalent(a, b, missing)) return true;
  return std::filesystem::weakly_canonical(a, missing) == std::filesystem::weakly_canonical(b, missing);
}

}  // namespace

Status check_outputs(const std::vector<std::filesystem::path>& inputs,
                     const std::vector<std::filesystem::path>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    std::error_code missing;
    const auto status = std::filesystem::status(outputs[i], missing);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) continue;
    for (const auto& input : inputs)
      if (is_one_file(outputs[i], input))
        return Error{.code = ErrorCode::bad_request,
                     .what = "this file is read and would be written over",
                     .hint = "name another output",
                     .file = outputs[i].string()};
    for (std::size_t j = 0; j < i; ++j)
      if (is_one_file(outputs[i], outputs[j]))
        return Error{.code = ErrorCode::bad_request,
                     .what = "two outputs have this one name",
                     .hint = "name each output differently",
                     .file = outputs[i].string()};
  }
  return {};
}

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
