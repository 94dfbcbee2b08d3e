#include "services/synthesis/witness/signal_check.hpp"

#include <algorithm>
#include <set>

#include "common/circuit/r1cs.hpp"

namespace penstock::synthesis {
namespace {

constexpr std::size_t longest_list = 20;
constexpr std::string_view main_prefix = "main.";

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < longest_list; ++i) text += (i ? ", " : "") + names[i];
  if (names.size() > longest_list) text += " and " + std::to_string(names.size() - longest_list) + " more";
  return text;
}

/// "main.a[1][2]" -> "a"; "main.bus[0].x[3]" -> "bus[0].x". A subcomponent's signal looks like a bus's field:
/// the program is asked which it is.
std::string base_name(std::string_view label) {
  label.remove_prefix(main_prefix.size());
  while (label.ends_with(']')) label = label.substr(0, label.rfind('['));
  return std::string(label);
}

}  // namespace

std::string shown_name(std::string_view name) {
  static constexpr std::size_t longest = 200;
  std::string text(name.substr(0, longest));
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c >= 0x7f; }, '?');
  if (name.size() > longest) text += "...";
  return text;
}

std::uint64_t count_values(const std::vector<InputSignal>& signals) {
  std::uint64_t count = 0;
  for (const InputSignal& signal : signals) count += signal.values.size();
  return count;
}

Status check_given(const std::vector<InputSignal>& signals, std::span<const std::int32_t> sizes) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < signals.size(); ++i) {
    const InputSignal& signal = signals[i];
    const std::string name = shown_name(signal.name);
    if (!seen.insert(signal.name).second)
      return Error{ErrorCode::signal_surplus, "signal " + name + " is given twice", "keep one of the two"};
    // circom's table gives 0 for some names that it does not know.
    if (sizes[i] < 0 || (sizes[i] == 0 && !signal.values.empty()))
      return Error{ErrorCode::signal_surplus, "the circuit has no input signal " + name,
                   "remove it, or correct its name"};
    const auto wanted = static_cast<std::uint64_t>(sizes[i]);
    if (signal.values.size() == wanted) continue;
    const std::string what = "signal " + name + " has " + std::to_string(signal.values.size()) +
                             " values where the circuit wants " + std::to_string(wanted);
    if (signal.values.size() > wanted) return Error{ErrorCode::signal_surplus, what};
    return Error{ErrorCode::signal_missing, what};
  }
  return {};
}

std::vector<std::string> candidate_names(const circuit::SymbolTable& symbols) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const auto& [label, text] : symbols.entries()) {
    if (!std::string_view(text).starts_with(main_prefix)) continue;
    std::string name = base_name(text);
    if (seen.insert(name).second) names.push_back(std::move(name));
  }
  return names;
}

Error missing_values(const std::vector<InputSignal>& given, std::uint64_t wanted,
                     const std::vector<std::string>& missing) {
  const std::uint64_t have = count_values(given);
  if (!missing.empty())
    return {ErrorCode::signal_missing, "the input lacks " + joined(missing),
            "give every input signal of the circuit"};
  std::vector<std::string> names;
  for (const InputSignal& signal : given) names.push_back(shown_name(signal.name));
  return {ErrorCode::signal_missing,
          "the input gives " + std::to_string(have) + " of " + std::to_string(wanted) + " values" +
              (names.empty() ? "" : " (" + joined(names) + ")"),
          "give every input signal of the circuit; with its .sym file the missing ones are named"};
}

}  // namespace penstock::synthesis
