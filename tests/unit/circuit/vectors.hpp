// Where the test vectors lie, and what the tests of this folder do with them.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include "common/base/curve_id.hpp"
#include "common/base/error.hpp"
#include "common/circuit/file_io.hpp"

namespace penstock::circuit::testing {

inline constexpr std::array<CurveId, 2> curves = {CurveId::bn254, CurveId::bls12_381};
inline constexpr std::array<std::string_view, 6> circuits = {"mul",    "chain",  "nopub",
                                                             "unused", "square", "linear"};

inline std::filesystem::path vector_path(CurveId curve, std::string_view file) {
  return std::filesystem::path(PENSTOCK_TEST_VECTORS) / name(curve) / file;
}

inline std::string vector_text(CurveId curve, std::string_view file) {
  auto text = read_text_file(vector_path(curve, file), 1U << 30);
  if (!text.ok()) ADD_FAILURE() << to_string(text.error());
  return text.ok() ? *text : std::string();
}

/// The label of a result's error, or "ok".
template <class T>
std::string outcome(const Result<T>& result) {
  return result.ok() ? "ok" : std::string(name(result.error().code));
}

}  // namespace penstock::circuit::testing
