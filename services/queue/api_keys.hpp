// API keys: only salted hashes are kept in memory; comparison takes the same time for every wrong key.
// Shape: none configured means open access (only ever bound to loopback; checked where the server is
// started). Threads: any. Errors: bad_request for a key too short to be one.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace penstock::queue {

inline constexpr std::size_t min_api_key_length = 16;

class ApiKeys {
 public:
  /// Several keys, separated by commas or white space, are all valid: so one can be rotated out.
  [[nodiscard]] static Result<ApiKeys> parse(std::string_view list);

  [[nodiscard]] bool required() const { return !hashes_.empty(); }
  [[nodiscard]] bool accept(std::string_view key) const;

 private:
  using Hash = std::array<unsigned char, 32>;
  ApiKeys();
  [[nodiscard]] Hash hash(std::string_view key) const;
  Hash salt_{};  ///< fresh per process
  std::vector<Hash> hashes_;
};

}  // namespace penstock::queue
