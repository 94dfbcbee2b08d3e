// The text of HTTP that needs no socket: targets, response heads, server-sent events, error bodies. Pure
// functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/error.hpp"
#include "common/runtime/http_server.hpp"

namespace penstock::runtime {

struct HttpTarget {
  std::string path;
  std::vector<std::pair<std::string, std::string>> query;
};
/// Decodes an origin-form or absolute-form target; nullopt for a bad escape, a NUL or what is neither.
[[nodiscard]] std::optional<HttpTarget> parse_target(std::string_view target);
/// %XX decoded, and + as a space where asked; nullopt for a bad escape or a NUL.
enum class PlusIs : std::uint8_t { plus, space };
[[nodiscard]] std::optional<std::string> percent_decode(std::string_view text, PlusIs plus);

enum class AfterResponse : std::uint8_t { keep_alive, close };
/// Status line and headers, up to the empty line. Line breaks in a header's name or value become spaces.
[[nodiscard]] std::string response_head(const HttpResponse& response, AfterResponse after);
/// The head of an event stream: no length, the stream ends with the connection.
[[nodiscard]] std::string event_stream_head();
/// One event; each line of `data` on its own.
[[nodiscard]] std::string event_text(std::string_view event, std::string_view data);

/// {"code","message","hint"} with the status.
[[nodiscard]] HttpResponse error_response(int status, ErrorCode code, std::string_view message,
                                          std::string_view hint = {});

}  // namespace penstock::runtime
