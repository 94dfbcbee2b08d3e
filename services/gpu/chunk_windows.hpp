// How much remote workers may have on its way to us at once: a window of chunk credits a lease, bounded per
// worker and in total, so that no number of workers fills our memory.
// Threads: one (the message loop).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace penstock::gpu {

struct ChunkOptions {
  std::uint32_t chunk_bytes = std::uint32_t{1} << 20;
  std::uint32_t credits = 8;                             ///< of one lease, at most
  std::uint64_t worker_bytes = std::uint64_t{64} << 20;  ///< of one worker
  std::uint64_t total_bytes = std::uint64_t{256} << 20;  ///< of all
};

class ChunkWindows {
 public:
  explicit ChunkWindows(const ChunkOptions& options) : options_(options) {}

  /// Credits for one more lease of this worker; nullopt when its share or ours is used up.
  [[nodiscard]] std::optional<std::uint32_t> open(const std::string& worker) {
    std::uint64_t& used = by_worker_[worker];
    const std::uint64_t left =
        std::min(below(options_.worker_bytes, used), below(options_.total_bytes, total_));
    const auto credits =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(options_.credits, left / options_.chunk_bytes));
    if (credits == 0) return std::nullopt;
    used += bytes_of(credits);
    total_ += bytes_of(credits);
    return credits;
  }
  void close(const std::string& worker, std::uint32_t credits) {
    const auto found = by_worker_.find(worker);
    if (found == by_worker_.end()) return;
    found->second -= std::min(found->second, bytes_of(credits));
    total_ -= std::min(total_, bytes_of(credits));
    if (found->second == 0) by_worker_.erase(found);
  }
  [[nodiscard]] std::uint64_t open_bytes() const { return total_; }
  [[nodiscard]] std::uint32_t chunk_bytes() const { return options_.chunk_bytes; }

 private:
  [[nodiscard]] static std::uint64_t below(std::uint64_t bound, std::uint64_t used) {
    return bound > used ? bound - used : 0;
  }
  [[nodiscard]] std::uint64_t bytes_of(std::uint32_t credits) const {
    return std::uint64_t{credits} * options_.chunk_bytes;
  }
  ChunkOptions options_;
  std::map<std::string, std::uint64_t> by_worker_;
  std::uint64_t total_ = 0;
};

}  // namespace penstock::gpu
