// What a person or a script reads from the command line: lines for people on stdout, or one JSON object with
// --json; warnings, errors and progress on stderr.
// Ownership: borrows two open streams. Threads: one.
// Shape of an error: `penstock: error[CODE] FILE@OFFSET: what; hint`, one line.
#pragma once

#include <cstdio>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "common/base/error.hpp"

namespace penstock::cli {

class Output {
 public:
  Output(std::FILE* out, std::FILE* err);

  void use_json() { json_ = true; }
  [[nodiscard]] bool json() const { return json_; }

  /// A line for people; silent with --json.
  void line(std::string_view text);
  /// The one object of --json; silent without.
  void object(const nlohmann::ordered_json& object);
  void warn(std::string_view text);
  /// The line on stderr and, with --json, {"ok": false, "error": {...}} on stdout.
  void error(const Error& error);

  /// Overwrites the last progress line when stderr is a terminal, else nothing. `fraction` in [0, 1], or
  /// negative when unknown.
  void progress(std::string_view step, double fraction);
  void end_progress();

 private:
  std::FILE* out_;
  std::FILE* err_;
  bool json_ = false;
  bool terminal_;
  bool progress_shown_ = false;
  std::string last_progress_;
};

/// {"code", "message", "hint"?, "file"?, "offset"?}
[[nodiscard]] nlohmann::ordered_json to_json(const Error& error);

/// "1.234 s", "12.3 ms", "45 us".
[[nodiscard]] std::string duration_text(double seconds);
/// "512 B", "1.5 MiB".
[[nodiscard]] std::string size_text(std::uint64_t bytes);

}  // namespace penstock::cli
