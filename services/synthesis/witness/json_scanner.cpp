#include "services/synthesis/witness/json_scanner.hpp"

#include <utility>

namespace penstock::synthesis {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void append_utf8(std::string& out, unsigned code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xe0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

/// The four hexadecimal digits at `digits`, or -1.
int code_unit(std::string_view digits) {
  if (digits.size() < 4) return -1;
  int code = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = hex_digit(digits[i]);
    if (digit < 0) return -1;
    code = code * 16 + digit;
  }
  return code;
}

}  // namespace

Error JsonScanner::error(std::string what) const {
  return {ErrorCode::bad_format, std::move(what), "input.json must be strict JSON", {}, position_};
}

char JsonScanner::peek() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') return c;
    ++position_;
  }
  return '\0';
}

bool JsonScanner::take(char wanted) {
  if (peek() != wanted || position_ == text_.size()) return false;
  ++position_;
  return true;
}

Status JsonScanner::expect(char wanted) {
  if (take(wanted)) return {};
  return error(position_ == text_.size() ? "the JSON text ends too early"
                                         : std::string("expected '") + wanted + "'");
}

Result<JsonScanner::RawString> JsonScanner::raw_string() {
  PENSTOCK_TRY(expect('"'));
  RawString found;
  const std::size_t start = position_;
  for (; position_ < text_.size(); ++position_) {
    const auto c = static_cast<unsigned char>(text_[position_]);
    if (c < 0x20) return error("a control character in a string");
    if (c == '"') {
      found.text = text_.substr(start, position_++ - start);
      return found;
    }
    if (c == '\\') {
      found.has_escapes = true;
      ++position_;
    }
  }
  position_ = text_.size();
  return error("a string without an end");
}

Result<std::string> JsonScanner::decoded_string() {
  const RawString raw = PENSTOCK_TRY(raw_string());
  if (!raw.has_escapes) return std::string(raw.text);
  static constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
  std::string out;
  for (std::size_t i = 0; i < raw.text.size(); ++i) {
    if (raw.text[i] != '\\') {
      out += raw.text[i];
      continue;
    }
    const char letter = raw.text[++i];
    if (const auto at = letters.find(letter); at != std::string_view::npos) {
      out += meanings[at];
      continue;
    }
    const int code = letter == 'u' ? code_unit(raw.text.substr(i + 1)) : -1;
    // Surrogate pairs name no circom signal: refused rather than half-decoded.
    if (code <= 0 || (code >= 0xd800 && code < 0xe000)) return error("an invalid escape in a name");
    append_utf8(out, static_cast<unsigned>(code));
    i += 4;
  }
  return out;
}

Result<std::string_view> JsonScanner::number() {
  peek();
  const std::size_t start = position_;
  const auto digits = [this] {
    const std::size_t first = position_;
    while (position_ < text_.size() && is_digit(text_[position_])) ++position_;
    return position_ - first;
  };
  const auto skip_one_of = [this](std::string_view any) {
    if (position_ == text_.size() || any.find(text_[position_]) == std::string_view::npos) return false;
    ++position_;
    return true;
  };
  skip_one_of("-");
  const std::size_t first_digit = position_, whole = digits();
  if (whole == 0) return error("expected a value");
  // RFC 8259 forbids them; 010 would be 8 to some readers.
  if (whole > 1 && text_[first_digit] == '0') return error("a number with leading zeros");
  if (skip_one_of(".") && digits() == 0) return error("a number without digits after its point");
  if (skip_one_of("eE")) {
    skip_one_of("+-");
    if (digits() == 0) return error("a number without an exponent");
  }
  return text_.substr(start, position_ - start);
}

Result<std::string_view> JsonScanner::word() {
  peek();
  for (const std::string_view known : {"true", "false", "null"}) {
    if (text_.substr(position_, known.size()) != known) continue;
    position_ += known.size();
    return known;
  }
  return error("expected a value");
}

Status JsonScanner::end() {
  peek();
  if (position_ != text_.size()) return error("text after the end of the JSON value");
  return {};
}

}  // namespace penstock::synthesis
