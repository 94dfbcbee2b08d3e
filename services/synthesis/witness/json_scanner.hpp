// A strict JSON scanner (RFC 8259) over text that it does not copy. Recursion is the caller's, and bounded by
// it. Errors: bad_format with the offset; the text itself is never quoted.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace penstock::synthesis {

class JsonScanner {
 public:
  explicit JsonScanner(std::string_view text) : text_(text) {}

  /// The next character after white space, '\0' at the end; not consumed.
  char peek();
  /// Consumes `wanted` after white space when it comes next.
  bool take(char wanted);
  [[nodiscard]] Status expect(char wanted);
  /// A string as written between its quotes, escapes left alone; has_escapes says whether there are any.
  struct RawString {
    std::string_view text;
    bool has_escapes = false;
  };
  [[nodiscard]] Result<RawString> raw_string();
  /// A string with its escapes resolved.
  [[nodiscard]] Result<std::string> decoded_string();
  /// The characters of a number, checked against the grammar.
  [[nodiscard]] Result<std::string_view> number();
  /// true, false or null.
  [[nodiscard]] Result<std::string_view> word();
  /// Nothing but white space may follow.
  [[nodiscard]] Status end();
  [[nodiscard]] std::size_t offset() const { return position_; }
  [[nodiscard]] Error error(std::string what) const;

 private:
  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace penstock::synthesis
