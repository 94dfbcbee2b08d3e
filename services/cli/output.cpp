#include "services/cli/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>

namespace penstock::cli {

Output::Output(std::FILE* out, std::FILE* err) : out_(out), err_(err), terminal_(isatty(fileno(err)) == 1) {}

void Output::line(std::string_view text) {
  if (json_) return;
  end_progress();
  fmt::print(out_, "{}\n", text);
  std::fflush(out_);
}

void Output::object(const nlohmann::ordered_json& object) {
  if (!json_) return;
  end_progress();
  fmt::print(out_, "{}\n", object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  std::fflush(out_);
}

void Output::warn(std::string_view text) {
  end_progress();
  fmt::print(err_, "penstock: warning: {}\n", text);
}

void Output::error(const Error& error) {
  end_progress();
  fmt::print(err_, "penstock: {}\n", to_string(error));
  object({{"ok", false}, {"error", to_json(error)}});
}

void Output::progress(std::string_view step, double fraction) {
  if (!terminal_) return;
  std::string text(step);
  if (fraction >= 0) text += fmt::format(" {:3.0f} %", fraction * 100);
  if (text == last_progress_) return;
  fmt::print(err_, "\r\033[K{}", text);
  std::fflush(err_);
  last_progress_ = text;
  progress_shown_ = true;
}

void Output::end_progress() {
  if (!progress_shown_) return;
  fmt::print(err_, "\r\033[K");
  std::fflush(err_);
  progress_shown_ = false;
  last_progress_.clear();
}

nlohmann::ordered_json to_json(const Error& error) {
  nlohmann::ordered_json object{{"code", std::string(name(error.code))}, {"message", error.what}};
  if (!error.hint.empty()) object["hint"] = error.hint;
  if (!error.file.empty()) object["file"] = error.file;
  if (error.offset) object["offset"] = *error.offset;
  return object;
}

std::string duration_text(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.1f} us", seconds * 1e6);
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

}  // namespace penstock::cli
