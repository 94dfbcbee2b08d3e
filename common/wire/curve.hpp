// CURVE on the wire: who may connect, and as whom. A key pair is 32 + 32 bytes, written as Z85 text.
// Files: NAME.key (0600, public and secret), NAME.pub (public alone); a folder of .pub files is the list of
// those who may connect. Made by `penstock keygen`.
// Errors: file_unreadable, bad_format (no Z85 key, a folder without one), file_unwritable.
// Security: the secret is Sensitive, never printed; a key file that others may read is refused.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/base/sensitive.hpp"

namespace penstock::wire {

inline constexpr std::size_t curve_text_size = 40;

/// Both as Z85.
struct CurveKeys {
  std::string public_key;
  SensitiveVector<char> secret_key;  ///< without a terminating zero
};

[[nodiscard]] CurveKeys make_curve_keys();
/// Writes FOLDER/NAME.key and FOLDER/NAME.pub; refuses to replace either (conflict).
[[nodiscard]] Status write_curve_keys(const CurveKeys& keys, const std::filesystem::path& folder,
                                      const std::string& name);
[[nodiscard]] Result<std::shared_ptr<const CurveKeys>> read_curve_keys(const std::filesystem::path& file);
/// A .pub file, or the key itself where the text is one.
[[nodiscard]] Result<std::string> read_curve_public(const std::string& file_or_key);
/// Every *.pub in the folder; at least one.
[[nodiscard]] Result<std::set<std::string>> read_curve_clients(const std::filesystem::path& folder);

[[nodiscard]] bool is_curve_text(std::string_view text);

}  // namespace penstock::wire
