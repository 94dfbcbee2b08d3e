#include "services/cli/solidity_verifier.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common/circuit/proof_json.hpp"

namespace penstock::cli {
namespace {

using nlohmann::json;

// {0} parameter list's tail, {1} check of the publics and the combination, {2}.. constants.
constexpr const char* header = R"(// SPDX-License-Identifier: Apache-2.0
// Verifies Groth16 proofs of one circuit over BN254. Written by penstock from a verification key.
pragma solidity >=0.8.4 <0.9.0;

contract Groth16Verifier {
    // Orders of the base field and of the scalar field.
    uint256 private constant Q = 21888242871839275222246405745257275088696311157297823662689037894645226208583;
    uint256 private constant R = 21888242871839275222246405745257275088548364400416034343698204186575808495617;

)";

constexpr const char* helpers = R"(
    function add(uint256[2] memory p, uint256[2] memory q) private view returns (bool ok, uint256[2] memory sum) {
        bytes memory out;
        (ok, out) = address(6).staticcall(abi.encode(p, q));
        if (ok) sum = abi.decode(out, (uint256[2]));
    }

    function multiply(uint256 x, uint256 y, uint256 scalar) private view returns (bool ok, uint256[2] memory product) {
        bytes memory out;
        (ok, out) = address(7).staticcall(abi.encode(x, y, scalar));
        if (ok) product = abi.decode(out, (uint256[2]));
    }

    // sum = sum + scalar * (x, y); false when the scalar is not canonical.
    function accumulate(uint256[2] memory sum, uint256 x, uint256 y, uint256 scalar)
        private
        view
        returns (bool, uint256[2] memory)
    {
        if (scalar >= R) return (false, sum);
        (bool ok, uint256[2] memory product) = multiply(x, y, scalar);
        if (!ok) return (false, sum);
        return add(sum, product);
    }

)";

std::string coordinate(const json& point, std::size_t index) {
  return point[index].get<std::string>();
}

void constant(std::string& text, const std::string& name, const std::string& value) {
  text += fmt::format("    uint256 private constant {} = {};\n", name, value);
}

void constants_g1(std::string& text, const std::string& name, const json& point) {
  constant(text, name + "_X", coordinate(point, 0));
  constant(text, name + "_Y", coordinate(point, 1));
}

// The precompile wants the imaginary part first.
void constants_g2(std::string& text, const std::string& name, const json& point) {
  constant(text, name + "_X1", coordinate(point[0], 1));
  constant(text, name + "_X0", coordinate(point[0], 0));
  constant(text, name + "_Y1", coordinate(point[1], 1));
  constant(text, name + "_Y0", coordinate(point[1], 0));
}

std::string combination(std::size_t publics) {
  std::string text = "        uint256[2] memory sum = [IC0_X, IC0_Y];\n";
  if (publics > 0) text += "        bool ok;\n";
  for (std::size_t i = 0; i < publics; ++i)
    text += fmt::format(
        "        (ok, sum) = accumulate(sum, IC{0}_X, IC{0}_Y, signals[{1}]);\n        if (!ok) return "
        "false;\n",
        i + 1, i);
  return text;
}

std::string verify_function(std::size_t publics) {
  const std::string tail =
      publics == 0 ? std::string() : fmt::format(",\n        uint256[{}] calldata signals", publics);
  // The pairs are encoded in two halves: one call with all of them exceeds the compiler's stack.
  return fmt::format(R"(    function verifyProof(
        uint256[2] calldata a,
        uint256[2][2] calldata b,
        uint256[2] calldata c{}
    ) public view returns (bool) {{
        if (a[0] >= Q || a[1] >= Q) return false;
{}        bytes memory front = abi.encode(
            a[0], (Q - a[1]) % Q, b, ALPHA_X, ALPHA_Y, BETA_X1, BETA_X0, BETA_Y1, BETA_Y0
        );
        bytes memory back = abi.encode(
            sum, GAMMA_X1, GAMMA_X0, GAMMA_Y1, GAMMA_Y0, c, DELTA_X1, DELTA_X0, DELTA_Y1, DELTA_Y0
        );
        (bool answered, bytes memory verdict) = address(8).staticcall(bytes.concat(front, back));
        return answered && verdict.length == 32 && abi.decode(verdict, (uint256)) == 1;
    }}
}}
)",
                     tail, combination(publics));
}

}  // namespace

Result<std::string> solidity_verifier(const circuit::AnyVerificationKey& key) {
  if (circuit::curve_of(key) != CurveId::bn254)
    return Error{.code = ErrorCode::curve_mismatch,
                 .what = "the Solidity verifier exists for bn254 only; this key is on " +
                         std::string(name(circuit::curve_of(key))),
                 .hint = "for bls12_381 encode the proof with: penstock export calldata --format eip2537"};
  const json object = json::parse(circuit::to_json(key));
  const json& ic = object["IC"];
  std::string text = header;
  constants_g1(text, "ALPHA", object["vk_alpha_1"]);
  constants_g2(text, "BETA", object["vk_beta_2"]);
  constants_g2(text, "GAMMA", object["vk_gamma_2"]);
  constants_g2(text, "DELTA", object["vk_delta_2"]);
  for (std::size_t i = 0; i < ic.size(); ++i) constants_g1(text, fmt::format("IC{}", i), ic[i]);
  const std::size_t publics = ic.size() - 1;
  return text + (publics > 0 ? helpers : "\n") + verify_function(publics);
}

}  // namespace penstock::cli
