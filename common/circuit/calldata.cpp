// Proofs and publics as arguments of a Solidity verifier.
// snarkjs: `["0x…", "0x…"],[["0x…", "0x…"],["0x…", "0x…"]],["0x…", "0x…"],["0x…"]`: Fp2 is c1 before c0;
// BN254 coordinates and publics are padded to 64 digits, BLS12-381 coordinates are not padded at all.
// eip2537: coordinates of 64 bytes, big endian, c0 before c1; a point is one string of bytes.
#include "common/circuit/limb_text.hpp"
#include "common/circuit/proof_json.hpp"

namespace penstock::circuit {
namespace {

constexpr std::size_t word_digits = 64;
constexpr std::size_t eip2537_digits = 128;

std::string quoted(const std::string& digits) {
  return "\"0x" + digits + "\"";
}

std::string bracketed(const std::string& first, const std::string& second) {
  return "[" + first + ", " + second + "]";
}

std::string publics_text(const PublicSignals& publics) {
  std::string text;
  for (const auto& value : publics) {
    if (!text.empty()) text += ",";
    text += quoted(hex_text(value, word_digits));
  }
  return "[" + text + "]";
}

template <class C>
class SnarkjsForm {
 public:
  static std::string text(const Proof<C>& proof) {
    return pair(proof.a.x, proof.a.y) + ",[" + pair(proof.b.x.c1, proof.b.x.c0) + "," +
           pair(proof.b.y.c1, proof.b.y.c0) + "]," + pair(proof.c.x, proof.c.y);
  }

 private:
  using Fp = typename C::Fp;
  static constexpr std::size_t digits = C::id == CurveId::bn254 ? word_digits : 1;
  static std::string pair(const Fp& first, const Fp& second) {
    return bracketed(quoted(hex_text(first.to_limbs(), digits)), quoted(hex_text(second.to_limbs(), digits)));
  }
};

template <class C>
class Eip2537Form {
 public:
  static std::string text(const Proof<C>& proof) {
    return quoted(g1(proof.a)) + "," +
           quoted(limb(proof.b.x.c0) + limb(proof.b.x.c1) + limb(proof.b.y.c0) + limb(proof.b.y.c1)) + "," +
           quoted(g1(proof.c));
  }

 private:
  static std::string limb(const typename C::Fp& value) { return hex_text(value.to_limbs(), eip2537_digits); }
  static std::string g1(const typename C::G1& point) { return limb(point.x) + limb(point.y); }
};

}  // namespace

std::string to_calldata(const AnyProof& any, const PublicSignals& publics, CalldataFormat format) {
  return std::visit(
      [&]<class C>(const Proof<C>& proof) {
        const bool padded = format == CalldataFormat::eip2537 && C::id == CurveId::bls12_381;
        const auto points = padded ? Eip2537Form<C>::text(proof) : SnarkjsForm<C>::text(proof);
        return points + "," + publics_text(publics);
      },
      any);
}

}  // namespace penstock::circuit
