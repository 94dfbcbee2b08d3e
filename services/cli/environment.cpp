#include "services/cli/environment.hpp"

#include <cstdlib>
#include <system_error>

#include "common/circuit/file_io.hpp"

namespace penstock::cli {
namespace {

constexpr std::uint64_t max_api_key_bytes = 4096;

std::string variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? std::string() : std::string(text);
}

// The XDG rule: a relative path in the variable is ignored.
std::filesystem::path xdg_folder(const char* name, const char* below_home) {
  const std::filesystem::path named = variable(name);
  if (named.is_absolute()) return named / "penstock";
  const std::string home = variable("HOME");
  return std::filesystem::path(home.empty() ? "." : home) / below_home / "penstock";
}

std::string without_trailing_space(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
  return text;
}

}  // namespace

Result<Environment> read_environment() {
  Environment environment;
  environment.cache_folder = xdg_folder("XDG_CACHE_HOME", ".cache");
  environment.data_folder = xdg_folder("XDG_DATA_HOME", ".local/share");
  std::error_code ignored;
  environment.program_folder = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  if (const std::string url = variable("PENSTOCK_URL"); !url.empty()) environment.url = url;
  environment.api_key = variable("PENSTOCK_API_KEY");
  if (const std::string file = variable("PENSTOCK_API_KEY_FILE");
      environment.api_key.empty() && !file.empty()) {
    environment.api_key =
        without_trailing_space(PENSTOCK_TRY(circuit::read_text_file(file, max_api_key_bytes)));
  }
  return environment;
}

std::filesystem::path key_check_folder(const Environment& environment) {
  return environment.cache_folder / "keys";
}

}  // namespace penstock::cli
