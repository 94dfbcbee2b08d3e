// A staging run as a table's row, a JSON line (keys of the issue: bench, partition, memory, encoding, lanes,
// load_threads, busy_ratio, idle, h2d_gbps, partitions_per_s, phases) and as the metrics a service would
// show.
#pragma once

#include <string>

#include "services/cli/bench/report.hpp"
#include "services/cli/bench/staging/staging_bench.hpp"

namespace penstock::cli::bench {

struct StagingPlace {
  Place place;
  CurveId curve = CurveId::bls12_381;
  int log2 = 0;
};
[[nodiscard]] std::string staging_head();
[[nodiscard]] std::string staging_row(const StagingResult& result);
[[nodiscard]] std::string staging_line(const StagingResult& result, const StagingPlace& place);
/// "evaluated raw pinned, 2 lanes, 8 load threads"
[[nodiscard]] std::string staging_words(const StagingSettings& settings);
/// What /metrics of a gpu service would have said at the end of the run: for penstock explain --from.
[[nodiscard]] std::string staging_metrics(const StagingResult& result, const StagingPlace& place,
                                          const std::string& device);

}  // namespace penstock::cli::bench
