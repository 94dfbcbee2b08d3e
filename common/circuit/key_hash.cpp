// What identifies a key: SHA-256("penstock key 1" | the tree digests of sections 1 to 9, in this order).
#include <algorithm>
#include <string_view>
#include <thread>

#include "common/circuit/content_hash.hpp"
#include "common/circuit/proving_key.hpp"
#include "common/circuit/zkey_layout.hpp"

namespace penstock::circuit {
namespace {

constexpr std::string_view hash_domain = "penstock key 1";

}  // namespace

std::string ProvingKey::content_hash() const {
  std::call_once(hash_once_, [this] {
    const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    std::vector<Digest> digests;
    for (std::uint32_t type = 1; type <= zkey::last_proving_section; ++type)
      digests.push_back(tree_digest(sections_[type], threads));
    const std::span<const std::byte> parts[] = {std::as_bytes(std::span(hash_domain)),
                                                std::as_bytes(std::span(digests))};
    hash_ = hex_text(plain_digest(parts));
  });
  return hash_;
}

}  // namespace penstock::circuit
