#include "services/queue/multipart.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

namespace penstock::queue {

namespace {

constexpr std::string_view media_type = "multipart/form-data";
constexpr std::size_t max_boundary = 70;  // RFC 2046

Error bad(std::string what) {
  return {.code = ErrorCode::bad_request,
          .what = std::move(what),
          .hint = "send multipart/form-data, as curl -F and fetch(FormData) do"};
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// Cuts up to the next ';' that is outside quotes.
std::string_view next_parameter(std::string_view& rest) {
  bool quoted = false;
  std::size_t end = 0;
  for (; end < rest.size() && (quoted || rest[end] != ';'); ++end)
    if (rest[end] == '"') quoted = !quoted;
  const std::string_view item = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return trimmed(item);
}

/// The value of `key` among "; key=value" parameters; quotes are taken off, escapes are refused by the
/// caller's name check. nullopt when absent.
std::optional<std::string_view> parameter(std::string_view header, std::string_view key) {
  static_cast<void>(next_parameter(header));
  while (!header.empty()) {
    const std::string_view item = next_parameter(header);
    const auto equals = item.find('=');
    if (equals == std::string_view::npos || !equals_ignoring_case(trimmed(item.substr(0, equals)), key))
      continue;
    std::string_view value = trimmed(item.substr(equals + 1));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
      value = value.substr(1, value.size() - 2);
    return value;
  }
  return std::nullopt;
}

Result<std::string_view> boundary_of(std::string_view content_type) {
  std::string_view rest = content_type;
  if (!equals_ignoring_case(next_parameter(rest), media_type))
    return bad("the body is not multipart/form-data");
  const auto boundary = parameter(content_type, "boundary");
  const auto allowed = [](char c) { return c > 31 && c < 127 && c != '"' && c != '\\'; };
  if (!boundary || boundary->empty() || boundary->size() > max_boundary ||
      !std::all_of(boundary->begin(), boundary->end(), allowed))
    return bad("the multipart boundary is missing or malformed");
  return *boundary;
}

/// One part's headers -> its name and filename.
Result<Part> read_headers(std::string_view headers) {
  Part part;
  bool named = false;
  while (!headers.empty()) {
    const auto end = std::min(headers.find("\r\n"), headers.size());
    const std::string_view line = headers.substr(0, end);
    headers.remove_prefix(std::min(end + 2, headers.size()));
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return bad("a part has a header without a colon");
    if (!equals_ignoring_case(trimmed(line.substr(0, colon)), "content-disposition")) continue;
    const std::string_view value = trimmed(line.substr(colon + 1));
    const auto name = parameter(value, "name");
    if (named || !name || name->empty()) return bad("a part has no name, or two");
    part.name = *name;
    part.filename = parameter(value, "filename").value_or("");
    named = true;
  }
  if (!named) return bad("a part has no name");
  return part;
}

class Reader {
 public:
  Reader(std::string_view body, std::string_view boundary, const MultipartLimits& limits)
      : body_(body),
        delimiter_("\r\n--" + std::string(boundary)),
        searcher_(delimiter_.begin(), delimiter_.end()),
        limits_(limits) {}

  Result<std::vector<Part>> read() {
    if (PENSTOCK_TRY(skip_preamble())) return bad("the body has no part");
    std::vector<Part> parts;
    for (bool last = false; !last;) {
      if (parts.size() == limits_.max_parts)
        return Error{.code = ErrorCode::body_too_large,
                     .what = "the body has more than " + std::to_string(limits_.max_parts) + " parts",
                     .hint = "split the request"};
      Part part = PENSTOCK_TRY(read_one());
      last = PENSTOCK_TRY(after_delimiter());
      parts.push_back(part);
    }
    return parts;
  }

 private:
  /// Moves behind the first delimiter (which may begin the body without its CRLF). True: it was the last.
  Result<bool> skip_preamble() {
    const std::string_view first = std::string_view(delimiter_).substr(2);
    if (body_.substr(0, first.size()) == first) {
      position_ = first.size();
    } else {
      const auto found = find_delimiter();
      if (found == std::string_view::npos) return bad("the multipart boundary does not occur in the body");
      position_ = found + delimiter_.size();
    }
    return after_delimiter();
  }

  /// Behind a delimiter: "--" ends the body, padding and CRLF lead to the next part. True: it was the last.
  Result<bool> after_delimiter() {
    if (body_.substr(position_, 2) == "--") return true;
    while (position_ < body_.size() && (body_[position_] == ' ' || body_[position_] == '\t')) ++position_;
    if (body_.substr(position_, 2) != "\r\n")
      return bad("a multipart boundary is not followed by a line end");
    position_ += 2;
    return false;
  }

  Result<Part> read_one() {
    const std::string_view window = body_.substr(position_, limits_.max_header_bytes + 4);
    const auto end = window.find("\r\n\r\n");
    if (end == std::string_view::npos) {
      if (window.size() < limits_.max_header_bytes + 4) return bad("a part's headers do not end");
      return Error{.code = ErrorCode::body_too_large, .what = "a part's headers are too long"};
    }
    Part part = PENSTOCK_TRY(read_headers(window.substr(0, end)));
    position_ += end + 2;  // the CRLF before an empty content may begin the delimiter
    const auto stop = find_delimiter();
    if (stop == std::string_view::npos) return bad("the last part does not end: the body was cut");
    const std::size_t begin = position_ + 2;
    part.content = stop < begin ? std::string_view() : body_.substr(begin, stop - begin);
    position_ = stop + delimiter_.size();
    return part;
  }

  std::size_t find_delimiter() const {
    const auto found =
        std::search(body_.begin() + static_cast<std::ptrdiff_t>(position_), body_.end(), searcher_);
    return found == body_.end() ? std::string_view::npos : static_cast<std::size_t>(found - body_.begin());
  }

  std::string_view body_;
  std::string delimiter_;
  // Sublinear on real bodies: an input of 100 MB is not compared byte by byte.
  std::boyer_moore_horspool_searcher<std::string::const_iterator> searcher_;
  MultipartLimits limits_;
  std::size_t position_ = 0;
};

}  // namespace

Result<std::vector<Part>> parse_multipart(std::string_view content_type, std::string_view body,
                                          const MultipartLimits& limits) {
  const std::string_view boundary = PENSTOCK_TRY(boundary_of(content_type));
  return Reader(body, boundary, limits).read();
}

}  // namespace penstock::queue
