// .sym: one line a signal, `label,wire,component,name`; the wire is -1 for a signal that was optimised away.
#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "common/circuit/file_io.hpp"
#include "common/circuit/r1cs.hpp"

namespace penstock::circuit {
namespace {

constexpr std::uint64_t max_sym_bytes = std::uint64_t{4} << 30;
constexpr std::size_t fields_before_name = 3;

struct Entry {
  std::uint64_t label;
  std::string_view name;
};

std::optional<Entry> entry_of(std::string_view line) {
  Entry entry{};
  const auto* end = line.data() + line.size();
  const auto [rest, error] = std::from_chars(line.data(), end, entry.label);
  if (error != std::errc{} || rest == end || *rest != ',') return std::nullopt;
  for (std::size_t field = 0; field < fields_before_name; ++field) {
    const auto comma = line.find(',');
    if (comma == std::string_view::npos) return std::nullopt;
    line.remove_prefix(comma + 1);
  }
  const auto is_printable = [](char c) {
    return c >= 0x20 && c <= 0x7E;
  };  // names stand in errors and in JSON
  if (line.empty() || !std::ranges::all_of(line, is_printable)) return std::nullopt;
  entry.name = line;
  return entry;
}

}  // namespace

Result<SymbolTable> SymbolTable::open(const std::filesystem::path& path) {
  const auto text = PENSTOCK_TRY(read_text_file(path, max_sym_bytes));
  SymbolTable table;
  std::size_t line_number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    auto line = std::string_view(text).substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++line_number;
    if (!line.empty()) {
      const auto entry = entry_of(line);
      if (!entry)
        return Error{.code = ErrorCode::bad_format,
                     .what = "line " + std::to_string(line_number) + " is not `label,wire,component,name`",
                     .file = path.string(),
                     .offset = begin};
      table.names_.emplace_back(entry->label, entry->name);
    }
    begin = end + 1;
  }
  std::ranges::stable_sort(table.names_, {}, &std::pair<std::uint64_t, std::string>::first);
  return table;
}

std::string SymbolTable::name_of(std::uint64_t label) const {
  const auto found =
      std::ranges::lower_bound(names_, label, {}, &std::pair<std::uint64_t, std::string>::first);
  if (found == names_.end() || found->first != label) return "label " + std::to_string(label);
  return found->second;
}

}  // namespace penstock::circuit
