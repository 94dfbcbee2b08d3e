// The declared keys and the three places that values come from. Included by config*.cpp only.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace penstock::runtime {

enum class ConfigSource : std::uint8_t { default_value, file, environment, flag };
enum class ConfigKind : std::uint8_t { value, flag, secret };

struct ConfigKey {
  std::string name;  ///< "gpu.arena_bytes"
  std::string help;
  ConfigKind kind = ConfigKind::value;
  std::function<Status(std::string_view)> assign;
  std::function<std::string()> show;
  ConfigSource source = ConfigSource::default_value;

  [[nodiscard]] std::string section() const { return name.substr(0, name.find('.')); }
  [[nodiscard]] std::string last() const { return name.substr(name.find('.') + 1); }
  [[nodiscard]] std::string environment() const;
  /// "--arena-bytes" in its own section, "--log-level" elsewhere.
  [[nodiscard]] std::string flag(std::string_view own_section) const;
};

/// The list of keys in order of declaration; its first key's section is the service's own.
class ConfigKeys {
 public:
  void add(ConfigKey key) { keys_.push_back(std::move(key)); }
  [[nodiscard]] std::vector<ConfigKey>& all() { return keys_; }
  [[nodiscard]] const std::vector<ConfigKey>& all() const { return keys_; }
  [[nodiscard]] std::string own_section() const { return keys_.empty() ? "" : keys_.front().section(); }
  [[nodiscard]] ConfigKey* find(std::string_view name);
  [[nodiscard]] bool has_section(std::string_view section) const;

  /// Sets one key from text; "SECRET_file" reads the secret from the file that the text names.
  [[nodiscard]] Status set(std::string_view name, std::string_view text, ConfigSource source,
                           std::string_view where);
  [[nodiscard]] Status read_file(const std::string& path);
  [[nodiscard]] Status read_environment();

 private:
  std::vector<ConfigKey> keys_;
};

/// "there is no KEY in WHERE", with the near match among `known` as the hint.
[[nodiscard]] Error unknown_key(std::string_view key, std::string_view where,
                                const std::vector<std::string>& known);
/// getenv, for the one place that may ask: nullopt when unset.
[[nodiscard]] std::optional<std::string> environment_value(const std::string& name);

}  // namespace penstock::runtime
