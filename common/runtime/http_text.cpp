#include "common/runtime/http_text.hpp"

#include <algorithm>
#include <boost/beast/http/status.hpp>
#include <nlohmann/json.hpp>

namespace penstock::runtime {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string on_one_line(std::string_view text) {
  std::string out(text);
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return out;
}

std::string_view reason_of(int status) {
  namespace http = boost::beast::http;
  const auto reason = http::obsolete_reason(http::int_to_status(static_cast<unsigned>(status)));
  return {reason.data(), reason.size()};
}

std::optional<std::vector<std::pair<std::string, std::string>>> parse_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> out;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    auto key = percent_decode(pair.substr(0, equals), PlusIs::space);
    auto value = percent_decode(pair.substr(std::min(equals + 1, pair.size())), PlusIs::space);
    if (!key || !value) return std::nullopt;
    out.emplace_back(std::move(*key), std::move(*value));
  }
  return out;
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text, PlusIs plus) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus == PlusIs::space) {
      out += ' ';
      continue;
    }
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    const int high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0 || (high == 0 && low == 0)) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

std::optional<HttpTarget> parse_target(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    const std::size_t slash = target.find('/', scheme.size());
    target = slash == std::string_view::npos ? "/" : target.substr(slash);
  }
  if (target == "*") return HttpTarget{"*", {}};
  if (!target.starts_with('/')) return std::nullopt;
  target = target.substr(0, target.find('#'));
  const std::size_t question = std::min(target.find('?'), target.size());
  auto path = percent_decode(target.substr(0, question), PlusIs::plus);
  auto query = parse_query(target.substr(std::min(question + 1, target.size())));
  if (!path || !query) return std::nullopt;
  return HttpTarget{std::move(*path), std::move(*query)};
}

std::string response_head(const HttpResponse& response, AfterResponse after) {
  std::string head =
      "HTTP/1.1 " + std::to_string(response.status) + " " + std::string(reason_of(response.status)) + "\r\n";
  const bool has_body = response.status >= 200 && response.status != 204 && response.status != 304;
  if (has_body) {
    head += "Content-Type: " + on_one_line(response.content_type) + "\r\n";
    head += "Content-Length: " + std::to_string(response.body.size()) + "\r\n";
  }
  for (const auto& [name, value] : response.headers)
    head += on_one_line(name) + ": " + on_one_line(value) + "\r\n";
  head += "X-Content-Type-Options: nosniff\r\n";
  head += after == AfterResponse::keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return head;
}

std::string event_stream_head() {
  return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
         "X-Accel-Buffering: no\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n";
}

std::string event_text(std::string_view event, std::string_view data) {
  std::string out;
  if (!event.empty()) out += "event: " + on_one_line(event) + "\n";
  while (true) {
    const std::size_t end = std::min(data.find_first_of("\r\n"), data.size());
    out += "data: " + std::string(data.substr(0, end)) + "\n";
    if (end == data.size()) break;
    const bool pair = data.substr(end, 2) == "\r\n";
    data.remove_prefix(end + (pair ? 2 : 1));
  }
  return out + "\n";
}

HttpResponse error_response(int status, ErrorCode code, std::string_view message, std::string_view hint) {
  const nlohmann::ordered_json body = {{"code", name(code)}, {"message", message}, {"hint", hint}};
  HttpResponse out;
  out.status = status;
  out.body = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  return out;
}

std::string_view HttpRequest::header(std::string_view lower_name) const {
  for (const auto& [name, value] : headers)
    if (name == lower_name) return value;
  return {};
}

std::string_view HttpRequest::query_value(std::string_view key) const {
  for (const auto& [name, value] : query)
    if (name == key) return value;
  return {};
}

}  // namespace penstock::runtime
