// Reads Prometheus's text format as far as our services write it: samples by name and labels.
// Errors: bad_format with the line's number. Anything may come in: texts come over the network and from
// files.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace penstock::cli::explain {

struct Sample {
  std::string name;
  std::map<std::string, std::string> labels;
  double value = 0;
};

/// One scrape, or several in one file.
class MetricText {
 public:
  [[nodiscard]] static Result<MetricText> parse(std::string_view text);

  using Labels = std::map<std::string, std::string>;
  /// The sum over every sample of that name whose labels include `wanted`; 0 when there is none.
  [[nodiscard]] double sum(std::string_view name, const Labels& wanted = {}) const;
  [[nodiscard]] bool has(std::string_view name) const;
  /// The different values of a label, sorted.
  [[nodiscard]] std::vector<std::string> values_of(std::string_view name, const std::string& label) const;

 private:
  std::vector<Sample> samples_;
};

}  // namespace penstock::cli::explain
