#include "services/queue/api_keys.hpp"

#include <sodium.h>

#include <stdexcept>

namespace penstock::queue {

ApiKeys::ApiKeys() {
  if (sodium_init() < 0) throw std::runtime_error("libsodium does not initialise");
  randombytes_buf(salt_.data(), salt_.size());
}

ApiKeys::Hash ApiKeys::hash(std::string_view key) const {
  Hash hash{};
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(key.data()), key.size(),
                     salt_.data(), salt_.size());
  return hash;
}

Result<ApiKeys> ApiKeys::parse(std::string_view list) {
  ApiKeys keys;
  constexpr std::string_view separators = ", \t\r\n";
  while (!list.empty()) {
    const auto end = std::min(list.find_first_of(separators), list.size());
    const std::string_view key = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    if (key.empty()) continue;
    if (key.size() < min_api_key_length)
      return Error{.code = ErrorCode::bad_request,
                   .what = "an API key is shorter than " + std::to_string(min_api_key_length) + " characters",
                   .hint = "make one with: penstock keygen"};
    keys.hashes_.push_back(keys.hash(key));
  }
  return keys;
}

bool ApiKeys::accept(std::string_view key) const {
  const Hash given = hash(key);
  int equal = 0;
  for (const Hash& known : hashes_)
    equal |= sodium_memcmp(known.data(), given.data(), given.size()) == 0 ? 1 : 0;
  return equal != 0;
}

}  // namespace penstock::queue
