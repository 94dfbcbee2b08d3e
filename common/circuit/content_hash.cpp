#include "common/circuit/content_hash.hpp"

#include <openssl/evp.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "common/circuit/parallel_ranges.hpp"

namespace penstock::circuit {
namespace {

constexpr std::byte leaf_prefix{0x00};
constexpr std::byte range_prefix{0x01};

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new()) {
    expect(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
  }
  Sha256& add(std::span<const std::byte> bytes) {
    expect(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
    return *this;
  }
  [[nodiscard]] Digest finish() {
    Digest digest;
    expect(EVP_DigestFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(digest.data()), nullptr) == 1);
    return digest;
  }

 private:
  static void expect(bool done) {
    if (!done) throw std::runtime_error("SHA-256 is not available");
  }
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

}  // namespace

Digest tree_digest(std::span<const std::byte> range, int threads) {
  const std::uint64_t size = range.size();
  std::vector<Digest> leaves((size + hash_leaf_bytes - 1) / hash_leaf_bytes);
  for_ranges(leaves.size(), threads, 1, [&](std::uint64_t, std::uint64_t begin, std::uint64_t end) {
    for (auto i = begin; i < end; ++i) {
      const auto place = i * hash_leaf_bytes;
      const auto leaf = range.subspan(place, std::min<std::uint64_t>(hash_leaf_bytes, size - place));
      leaves[i] = Sha256().add({&leaf_prefix, 1}).add(leaf).finish();
    }
  });
  return Sha256()
      .add({&range_prefix, 1})
      .add(std::as_bytes(std::span(&size, 1)))
      .add(std::as_bytes(std::span(leaves)))
      .finish();
}

Digest plain_digest(std::span<const std::span<const std::byte>> parts) {
  Sha256 hash;
  for (const auto part : parts) hash.add(part);
  return hash.finish();
}

std::string hex_text(const Digest& digest) {
  std::string text;
  text.reserve(2 * digest.size());
  for (const auto byte : digest)
    for (const auto nibble : {std::to_integer<unsigned>(byte) >> 4, std::to_integer<unsigned>(byte) & 0xF})
      text.push_back("0123456789abcdef"[nibble]);
  return text;
}

}  // namespace penstock::circuit
