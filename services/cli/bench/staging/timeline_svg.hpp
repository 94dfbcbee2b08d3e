// The picture of a run: how busy the device was, in bins, over the account of its states and the copies and
// kernels of each lane. Pure: text from a result.
#pragma once

#include <string>

#include "services/cli/bench/staging/staging_bench.hpp"

namespace penstock::cli::bench {

struct Picture {
  std::string title;
  Seconds longest{2};  ///< from the middle of the run
};
/// An SVG document. Cost: linear in what happened in the pictured time.
[[nodiscard]] std::string timeline_svg(const StagingResult& result, const Picture& picture);

}  // namespace penstock::cli::bench
