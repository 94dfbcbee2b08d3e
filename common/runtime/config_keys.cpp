#include "common/runtime/config_keys.hpp"

#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "common/runtime/config_values.hpp"

extern "C" char** environ;  // NOLINT(readability-redundant-declaration): not every header declares it

namespace penstock::runtime {
namespace {

constexpr std::string_view file_suffix = "_file";
/// Sections that a file may hold although this process does not read them.
constexpr std::array<std::string_view, 6> other_sections = {"queue", "synthesis", "gpu", "cli", "up", "log"};

std::string upper(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return c == '.' ? '_' : std::toupper(c); });
  return out;
}

Result<std::string> read_secret(std::string_view path) {
  std::ifstream file{std::string(path)};
  if (!file)
    return Error{.code = ErrorCode::file_unreadable,
                 .what = "the file of a secret cannot be read",
                 .file = std::string(path)};
  std::string text{std::istreambuf_iterator<char>(file), {}};
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  return text;
}

/// A scalar of the file as the text that a flag would have had.
std::optional<std::string> text_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  return std::nullopt;
}

Error at(Error error, std::string_view where) {
  error.what = std::string(where) + ": " + error.what;
  return error;
}

}  // namespace

std::string ConfigKey::environment() const {
  return "PENSTOCK_" + upper(name);
}

std::string ConfigKey::flag(std::string_view own_section) const {
  std::string out = "--" + (section() == own_section ? last() : section() + "-" + last());
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

Error unknown_key(std::string_view key, std::string_view where, const std::vector<std::string>& known) {
  const auto near = near_match(key, known);
  return Error{.code = ErrorCode::bad_request,
               .what = std::string(where) + " has no '" + std::string(key) + "'",
               .hint = near ? "did you mean '" + *near + "'?" : "--help lists what there is"};
}

std::optional<std::string> environment_value(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

ConfigKey* ConfigKeys::find(std::string_view name) {
  const auto found =
      std::find_if(keys_.begin(), keys_.end(), [&](const ConfigKey& key) { return key.name == name; });
  return found == keys_.end() ? nullptr : &*found;
}

bool ConfigKeys::has_section(std::string_view section) const {
  return std::any_of(keys_.begin(), keys_.end(),
                     [&](const ConfigKey& key) { return key.section() == section; });
}

Status ConfigKeys::set(std::string_view name, std::string_view text, ConfigSource source,
                       std::string_view where) {
  ConfigKey* key = find(name);
  std::optional<std::string> secret;
  if (key == nullptr && name.ends_with(file_suffix)) {
    key = find(name.substr(0, name.size() - file_suffix.size()));
    if (key != nullptr && key->kind != ConfigKind::secret) key = nullptr;
    if (key != nullptr) {
      auto read = read_secret(text);
      if (!read.ok()) return at(std::move(read).error(), where);
      secret = std::move(read).value();
    }
  }
  if (key == nullptr) {
    std::vector<std::string> known;
    for (const auto& one : keys_) known.push_back(one.name);
    return unknown_key(name, where, known);
  }
  if (auto assigned = key->assign(secret ? *secret : text); !assigned.ok())
    return at(std::move(assigned).error(), where);
  key->source = source;
  return {};
}

Status ConfigKeys::read_file(const std::string& path) {
  toml::table file;
  try {
    if (std::filesystem::is_directory(path) || !std::ifstream(path))
      return Error{
          .code = ErrorCode::file_unreadable, .what = "the configuration cannot be read", .file = path};
    file = toml::parse_file(path);
  } catch (const toml::parse_error& error) {
    return Error{
        .code = ErrorCode::bad_request,
        .what = std::string(error.description()) + " in line " + std::to_string(error.source().begin.line),
        .file = path};
  }
  for (const auto& [section_key, section] : file) {
    const std::string section_name(section_key.str());
    if (!section.is_table() || !has_section(section_name)) {
      const bool other =
          std::find(other_sections.begin(), other_sections.end(), section_name) != other_sections.end();
      if (section.is_table() && other) continue;
      std::vector<std::string> known;
      for (const auto& key : keys_) known.push_back(key.section());
      return unknown_key(section_name, path, known);
    }
    for (const auto& [key, value] : *section.as_table()) {
      const std::string name = section_name + "." + std::string(key.str());
      const std::string where = path + " line " + std::to_string(value.source().begin.line);
      const auto text = text_of(value);
      if (!text)
        return Error{.code = ErrorCode::bad_request,
                     .what = where + ": " + name + " is not a text, a whole number, true or false"};
      PENSTOCK_TRY(set(name, *text, ConfigSource::file, where));
    }
  }
  return {};
}

Status ConfigKeys::read_environment() {
  std::vector<std::string> known;
  for (const auto& key : keys_) known.push_back(key.environment());
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string_view variable = text.substr(0, equals);
    const bool ours = std::any_of(keys_.begin(), keys_.end(), [&](const ConfigKey& key) {
      return variable.starts_with("PENSTOCK_" + upper(key.section()) + "_");
    });
    if (!ours || equals == text.size()) continue;
    const auto match = std::find_if(keys_.begin(), keys_.end(), [&](const ConfigKey& key) {
      return variable == key.environment() ||
             (key.kind == ConfigKind::secret && variable == key.environment() + "_FILE");
    });
    if (match == keys_.end()) return unknown_key(variable, "the environment", known);
    const bool from_file = variable != match->environment();
    const std::string name = match->name + (from_file ? std::string(file_suffix) : "");
    PENSTOCK_TRY(set(name, text.substr(equals + 1), ConfigSource::environment, variable));
  }
  return {};
}

}  // namespace penstock::runtime
