#include "common/runtime/config.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <list>

#include "common/runtime/config_keys.hpp"
#include "common/runtime/config_values.hpp"
#include "common/runtime/health.hpp"

namespace penstock::runtime {
namespace {

std::string_view source_name(ConfigSource source) {
  switch (source) {
    case ConfigSource::default_value:
      return "default";
    case ConfigSource::file:
      return "file";
    case ConfigSource::environment:
      return "environment";
    case ConfigSource::flag:
      return "flag";
  }
  return "";
}

/// As a TOML basic string, so that what is printed can be read again.
std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + '"';
}

/// The flags of a command line: what was given, by key, in the order of the keys.
class Flags {
 public:
  Flags(const std::string& program, const std::string& description, const ConfigKeys& keys)
      : app_(description, program) {
    const std::string own = keys.own_section();
    app_.add_option("--config", config_, "TOML file with the sections of all services")->type_name("FILE");
    app_.set_version_flag("--version", build_info().version + " (" + build_info().commit + ")");
    app_.allow_extras();
    known_ = {"--config", "--version", "--help"};
    for (const auto& key : keys.all()) {
      const std::string flag = key.flag(own);
      const std::string help =
          key.help + " [" + (key.kind == ConfigKind::secret ? "secret" : key.show()) + "]";
      if (key.kind == ConfigKind::flag)
        add(key.name, flag, app_.add_flag(flag + ",!--no-" + flag.substr(2), next(), help));
      else
        add(key.name, flag, app_.add_option(flag, next(), help)->take_last());
      if (key.kind == ConfigKind::secret)
        add(key.name + "_file", flag + "-file",
            app_.add_option(flag + "-file", next(), "... read from this file")->take_last());
    }
  }

  /// false: help or version was printed.
  [[nodiscard]] Result<bool> parse(int argc, char** argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::Success& asked) {
      app_.exit(asked, std::cout, std::cerr);
      return false;
    } catch (const CLI::ParseError& error) {
      return Error{.code = ErrorCode::bad_request, .what = error.what(), .hint = "--help lists the flags"};
    }
    const auto extras = app_.remaining();
    if (!extras.empty())
      return unknown_key(extras.front().substr(0, extras.front().find('=')), "the command line", known_);
    return true;
  }

  [[nodiscard]] const std::string& config_file() const { return config_; }
  [[nodiscard]] Status apply(ConfigKeys& keys) const {
    for (const auto& given : given_)
      if (given.option->count() > 0)
        PENSTOCK_TRY(keys.set(given.name, *given.text, ConfigSource::flag, given.flag));
    return {};
  }

 private:
  struct Given {
    std::string name, flag;
    CLI::Option* option = nullptr;
    const std::string* text = nullptr;
  };
  std::string& next() { return texts_.emplace_back(); }
  void add(std::string name, const std::string& flag, CLI::Option* option) {
    known_.push_back(flag);
    given_.push_back({std::move(name), flag, option, &texts_.back()});
  }

  CLI::App app_;
  std::string config_;
  std::list<std::string> texts_;  // addresses stay
  std::vector<Given> given_;
  std::vector<std::string> known_;
};

}  // namespace

struct ConfigReader::Impl {
  ConfigKeys keys;
};

ConfigReader::ConfigReader() : impl_(std::make_unique<Impl>()) {}
ConfigReader::~ConfigReader() = default;

void ConfigReader::text(std::string key, std::string& target, std::string help) {
  const auto assign = [&target](std::string_view text) {
    target = text;
    return Status{};
  };
  impl_->keys.add({std::move(key), std::move(help), ConfigKind::value, assign,
                   [&target] { return toml_string(target); }});
}

void ConfigReader::secret(std::string key, std::string& target, std::string help) {
  const auto assign = [&target](std::string_view text) {
    target = text;
    return Status{};
  };
  const auto show = [&target] { return std::string(target.empty() ? "\"\"" : "\"***\""); };
  impl_->keys.add({std::move(key), std::move(help), ConfigKind::secret, assign, show});
}

void ConfigReader::number(std::string key, std::int64_t& target, std::string help, std::int64_t least,
                          std::int64_t most) {
  const auto assign = [&target, least, most](std::string_view text) -> Status {
    target = PENSTOCK_TRY(parse_number(text, least, most));
    return {};
  };
  impl_->keys.add({std::move(key), std::move(help), ConfigKind::value, assign,
                   [&target] { return std::to_string(target); }});
}

void ConfigReader::size(std::string key, std::uint64_t& target, std::string help) {
  const auto assign = [&target](std::string_view text) -> Status {
    target = PENSTOCK_TRY(parse_size(text));
    return {};
  };
  const auto show = [&target] { return "\"" + size_text(target) + "\""; };
  impl_->keys.add({std::move(key), std::move(help), ConfigKind::value, assign, show});
}

void ConfigReader::flag(std::string key, bool& target, std::string help) {
  const auto assign = [&target](std::string_view text) -> Status {
    target = PENSTOCK_TRY(parse_flag(text));
    return {};
  };
  const auto show = [&target] { return std::string(target ? "true" : "false"); };
  impl_->keys.add({std::move(key), std::move(help), ConfigKind::flag, assign, show});
}

void ConfigReader::duration(std::string key, std::chrono::milliseconds& target, std::string help) {
  const auto assign = [&target](std::string_view text) -> Status {
    target = PENSTOCK_TRY(parse_duration(text));
    return {};
  };
  const auto show = [&target] { return "\"" + duration_text(target) + "\""; };
  impl_->keys.add({std::move(key), std::move(help), ConfigKind::value, assign, show});
}

Result<bool> ConfigReader::read(const std::string& program, const std::string& description, int argc,
                                char** argv) {
  Flags flags(program, description, impl_->keys);
  if (!PENSTOCK_TRY(flags.parse(argc, argv))) return false;
  std::string file = flags.config_file();
  if (file.empty()) file = environment_value("PENSTOCK_CONFIG").value_or("");
  if (!file.empty()) PENSTOCK_TRY(impl_->keys.read_file(file));
  PENSTOCK_TRY(impl_->keys.read_environment());
  PENSTOCK_TRY(flags.apply(impl_->keys));
  return true;
}

std::string ConfigReader::describe() const {
  std::string out, section;
  for (const auto& key : impl_->keys.all()) {
    if (key.section() != section) {
      section = key.section();
      out += (out.empty() ? "[" : "\n[") + section + "]\n";
    }
    out += key.last() + " = " + key.show() + "  # " + std::string(source_name(key.source)) + "\n";
  }
  return out;
}

}  // namespace penstock::runtime
