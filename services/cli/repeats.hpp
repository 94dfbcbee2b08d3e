// What the verbs with --repeat report of their runs.
#pragma once

#include <algorithm>
#include <vector>

namespace penstock::cli {

/// REQUIRES at least one value.
[[nodiscard]] inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// REQUIRES at least one value.
[[nodiscard]] inline double least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

}  // namespace penstock::cli
