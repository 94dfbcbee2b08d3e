#include "services/cli/explain/metric_text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

namespace penstock::cli::explain {
namespace {

bool is_name_part(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':';
}

/// Reads one line from its front.
class Line {
 public:
  explicit Line(std::string_view text) : rest_(text) {}
  [[nodiscard]] bool starts_with(char c) const { return !rest_.empty() && rest_.front() == c; }
  [[nodiscard]] bool take(char c) {
    if (!starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  [[nodiscard]] std::string name() {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), is_name_part);
    const auto size = static_cast<std::size_t>(end - rest_.begin());
    std::string taken(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return taken;
  }
  /// A quoted label value with its escapes.
  [[nodiscard]] std::optional<std::string> quoted() {
    if (!take('"')) return std::nullopt;
    std::string value;
    while (!rest_.empty()) {
      char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') return value;
      if (c == '\\' && !rest_.empty()) {
        c = rest_.front() == 'n' ? '\n' : rest_.front();
        rest_.remove_prefix(1);
      }
      value += c;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::optional<double> number() {
    while (take(' ') || take('\t')) continue;
    const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t\r"));
    if (word == "NaN") return 0.0;
    if (word == "+Inf") return INFINITY;
    double value = 0;
    const auto [stop, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (failed != std::errc() || stop != word.data() + word.size()) return std::nullopt;
    return value;
  }

 private:
  std::string_view rest_;
};

std::optional<Sample> read_sample(std::string_view text) {
  Line line(text);
  Sample sample;
  sample.name = line.name();
  if (sample.name.empty()) return std::nullopt;
  if (line.take('{')) {
    while (!line.take('}')) {
      std::string label = line.name();
      if (label.empty() || !line.take('=')) return std::nullopt;
      auto value = line.quoted();
      if (!value) return std::nullopt;
      sample.labels.insert_or_assign(std::move(label), *std::move(value));
      if (!line.take(',') && !line.starts_with('}')) return std::nullopt;
    }
  }
  const auto value = line.number();
  if (!value) return std::nullopt;
  sample.value = *value;
  return sample;
}

bool fits(const Sample& sample, std::string_view name, const MetricText::Labels& wanted) {
  return sample.name == name && std::all_of(wanted.begin(), wanted.end(), [&](const auto& label) {
           const auto found = sample.labels.find(label.first);
           return found != sample.labels.end() && found->second == label.second;
         });
}

}  // namespace

Result<MetricText> MetricText::parse(std::string_view text) {
  MetricText parsed;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#' || line == "\r") continue;
    auto sample = read_sample(line);
    if (!sample)
      return Error{.code = ErrorCode::bad_format,
                   .what = "line " + std::to_string(number) + " is not a metric",
                   .hint = "give what a service's /metrics answers"};
    parsed.samples_.push_back(*std::move(sample));
  }
  return parsed;
}

double MetricText::sum(std::string_view name, const Labels& wanted) const {
  double total = 0;
  for (const Sample& sample : samples_)
    if (fits(sample, name, wanted)) total += sample.value;
  return total;
}

bool MetricText::has(std::string_view name) const {
  return std::any_of(samples_.begin(), samples_.end(), [&](const Sample& one) { return one.name == name; });
}

std::vector<std::string> MetricText::values_of(std::string_view name, const std::string& label) const {
  std::set<std::string> values;
  for (const Sample& sample : samples_)
    if (const auto found = sample.labels.find(label); sample.name == name && found != sample.labels.end())
      values.insert(found->second);
  return {values.begin(), values.end()};
}

}  // namespace penstock::cli::explain
