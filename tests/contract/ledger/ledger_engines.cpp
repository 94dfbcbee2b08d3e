#include "tests/contract/ledger/ledger_engines.hpp"

#include "services/queue/sqlite_ledger.hpp"

namespace penstock::queue::test {

const std::vector<Engine>& engines() {
  static const std::vector<Engine> all = {
      {"sqlite",
       [](const std::filesystem::path& folder) { return open_sqlite_ledger(folder / "ledger.sqlite"); }},
  };
  return all;
}

ScratchFolder::ScratchFolder()
    : path_(std::filesystem::temp_directory_path() / ("penstock-test-" + random_uuid())) {
  std::filesystem::create_directory(path_);
}
ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

JobRecord make_job(const std::string& id, std::uint32_t partitions, std::int64_t created_ms) {
  JobRecord job;
  job.id = JobId(id);
  job.circuit = "mul";
  job.circuit_id = CircuitId(std::string(64, 'a'));
  job.created = WallMillis(std::chrono::milliseconds(created_ms));
  for (std::uint32_t i = 0; i < partitions; ++i) {
    PartitionRecord partition;
    partition.index = i;
    partition.input_kind = i % 2 ? wire::InputKind::wtns : wire::InputKind::json;
    job.partitions.push_back(partition);
  }
  return job;
}

}  // namespace penstock::queue::test
