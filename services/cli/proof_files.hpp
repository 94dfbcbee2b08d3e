// The JSON files beside a proof, read with their size limits and written so that no half-written or
// unverified proof is ever seen under its final name.
// Errors: those of circuit/proof_json.hpp and circuit/file_io.hpp, attributed to the file.
#pragma once

#include <filesystem>
#include <vector>

#include "common/base/result.hpp"
#include "common/circuit/proof.hpp"

namespace penstock::cli {

[[nodiscard]] Result<circuit::AnyVerificationKey> read_verification_key(const std::filesystem::path& path);
[[nodiscard]] Result<circuit::PublicSignals> read_publics(const std::filesystem::path& path, CurveId curve);
[[nodiscard]] Result<circuit::AnyProof> read_proof(const std::filesystem::path& path, CurveId curve);

/// Nothing that is read may be written over, and no two outputs may be one file: bad_request with the name.
/// What is no regular file (/dev/stdout) may be given twice.
[[nodiscard]] Status check_outputs(const std::vector<std::filesystem::path>& inputs,
                                   const std::vector<std::filesystem::path>& outputs);

/// Both files or none: written beside their places, flushed, then renamed. REQUIRES a verified proof.
[[nodiscard]] Status write_proof_files(const std::filesystem::path& proof_path,
                                       const std::filesystem::path& public_path,
                                       const std::string& proof_json, const std::string& public_json);

}  // namespace penstock::cli
