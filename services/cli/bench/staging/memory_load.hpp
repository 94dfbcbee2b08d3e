// Threads that run memcpy, as synthesis does beside the lanes: the traffic that slows pageable copies.
// Ownership: the threads end with the object. Threads: one caller; the constructor returns when all run.
#pragma once

#include <cstring>
#include <latch>
#include <thread>
#include <vector>

namespace penstock::cli::bench {

class MemoryLoad {
 public:
  explicit MemoryLoad(int threads) : running_(threads) {
    for (int i = 0; i < threads; ++i)
      threads_.emplace_back([this](std::stop_token stop) { copy_until(stop); });
    running_.wait();
  }

 private:
  static constexpr std::size_t block_bytes = std::size_t{64} << 20;  // beyond any cache

  void copy_until(const std::stop_token& stop) {
    std::vector<char> from(block_bytes, 1), to(block_bytes);
    running_.count_down();
    while (!stop.stop_requested()) {
      std::memcpy(to.data(), from.data(), block_bytes);
      std::swap(from, to);
    }
  }
  std::latch running_;
  std::vector<std::jthread> threads_;
};

}  // namespace penstock::cli::bench
