#include "services/synthesis/witness/input_json.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "services/synthesis/witness/json_scanner.hpp"
#include "services/synthesis/witness/signal_check.hpp"

namespace penstock::synthesis {
namespace {

/// What one name has been given so far.
struct Leaf {
  std::string_view name;
  std::vector<InputValue> values;
  bool in_array = false;
  bool has_buses = false;
};

class InputReader {
 public:
  explicit InputReader(std::string_view text) : scanner_(text) {}

  Result<std::vector<InputSignal>> read() {
    if (scanner_.peek() != '{') return scanner_.error("the input must be a JSON object");
    PENSTOCK_TRY(object("", 0));
    PENSTOCK_TRY(scanner_.end());
    return std::move(signals_);
  }

 private:
  Error refused(const Leaf& leaf, std::string what, std::string hint) const {
    const std::string index = leaf.in_array ? "[" + std::to_string(leaf.values.size()) + "]" : "";
    return {ErrorCode::signal_value,
            "signal " + shown_name(leaf.name) + index + ": " + std::move(what),
            std::move(hint),
            {},
            scanner_.offset()};
  }

  Status object(const std::string& prefix, std::size_t depth) {
    if (depth > max_input_depth) return scanner_.error("nested too deeply");
    PENSTOCK_TRY(scanner_.expect('{'));
    std::set<std::string> keys;
    if (scanner_.take('}')) return {};
    do {
      std::string key = PENSTOCK_TRY(scanner_.decoded_string());
      PENSTOCK_TRY(scanner_.expect(':'));
      std::string name = prefix.empty() ? key : prefix + "." + key;
      if (!keys.insert(std::move(key)).second)
        return Error{ErrorCode::signal_surplus,
                     "signal " + shown_name(name) + " is given twice",
                     "keep one of the two",
                     {},
                     scanner_.offset()};
      PENSTOCK_TRY(member(std::move(name), depth + 1));
    } while (scanner_.take(','));
    return scanner_.expect('}');
  }

  /// The value of one name: a signal's, or a bus's.
  Status member(std::string name, std::size_t depth) {
    if (scanner_.peek() == '{') return object(name, depth);
    Leaf leaf{name, {}, false, false};
    PENSTOCK_TRY(value(leaf, name, depth));
    if (leaf.has_buses && !leaf.values.empty())
      return refused(leaf, "values and objects in one array", "an array holds one kind");
    if (!leaf.has_buses) signals_.push_back({std::move(name), std::move(leaf.values)});
    return {};
  }

  /// `element` names where the value stands, should it turn out to be a bus.
  Status value(Leaf& leaf, const std::string& element, std::size_t depth) {
    if (depth > max_input_depth) return scanner_.error("nested too deeply");
    switch (scanner_.peek()) {
      case '[':
        return array(leaf, element, depth);
      case '"':
        return text_value(leaf);
      case 't':
      case 'f':
      case 'n':
        return refused(leaf, std::string(PENSTOCK_TRY(scanner_.word())) + " is no field element",
                       "give a number or a string of digits");
      default:
        return number_value(leaf);
    }
  }

  Status array(Leaf& leaf, const std::string& prefix, std::size_t depth) {
    PENSTOCK_TRY(scanner_.expect('['));
    leaf.in_array = true;
    if (scanner_.take(']')) return {};
    std::size_t index = 0;
    do {
      const char next = scanner_.peek();
      const bool nested = next == '{' || next == '[';
      const std::string element = nested ? prefix + "[" + std::to_string(index) + "]" : std::string();
      leaf.has_buses |= next == '{';
      PENSTOCK_TRY(next == '{' ? object(element, depth + 1) : value(leaf, element, depth + 1));
      ++index;
    } while (scanner_.take(','));
    return scanner_.expect(']');
  }

  Status text_value(Leaf& leaf) {
    const auto raw = PENSTOCK_TRY(scanner_.raw_string());
    std::string_view digits = raw.text;
    if (digits.empty())
      return refused(leaf, "an empty string is no field element", "give a number or a string of digits");
    InputValue value;
    value.negative = digits.starts_with('-');
    if (value.negative) digits.remove_prefix(1);
    value.hexadecimal = !value.negative && (digits.starts_with("0x") || digits.starts_with("0X"));
    if (value.hexadecimal) digits.remove_prefix(2);
    const auto is_digit = [&](char c) {
      return (c >= '0' && c <= '9') ||
             (value.hexadecimal && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')));
    };
    if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit))
      return refused(leaf, "a string that is neither decimal nor 0x hexadecimal",
                     "write the integer as \"123\", \"-123\" or \"0x7b\"");
    return keep(leaf, value, digits);
  }

  Status number_value(Leaf& leaf) {
    std::string_view digits = PENSTOCK_TRY(scanner_.number());
    if (digits.find_first_of(".eE") != std::string_view::npos)
      return refused(leaf, "a number with a fraction or an exponent is no field element", "give an integer");
    InputValue value;
    value.negative = digits.starts_with('-');
    if (value.negative) digits.remove_prefix(1);
    // 2^53 - 1: a JSON reader that uses doubles has lost the digits of anything larger.
    static constexpr std::string_view largest = "9007199254740991";
    if (digits.size() > largest.size() || (digits.size() == largest.size() && digits > largest))
      return refused(leaf, "a JSON number beyond 2^53-1 loses digits in many programs",
                     "write it as a string: \"123\"");
    return keep(leaf, value, digits);
  }

  Status keep(Leaf& leaf, InputValue value, std::string_view digits) {
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
    if (digits.size() > max_value_digits)
      return refused(leaf, "more than " + std::to_string(max_value_digits) + " digits", "reduce it first");
    if (++values_ > max_input_values) return scanner_.error("too many values");
    value.digits = digits.data();
    value.length = static_cast<std::uint16_t>(digits.size());
    leaf.values.push_back(value);
    return {};
  }

  JsonScanner scanner_;
  std::vector<InputSignal> signals_;
  std::size_t values_ = 0;
};

}  // namespace

Result<std::vector<InputSignal>> parse_input_json(std::string_view text) {
  return InputReader(text).read();
}

}  // namespace penstock::synthesis
