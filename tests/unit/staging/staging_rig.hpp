// A GPU service that is a script: answers staging messages at once, on the caller's thread, over a real
// arena.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <vector>

#include "common/staging/stager.hpp"
#include "common/wire/arena.hpp"
#include "tests/support/groth16/scratch_folder.hpp"

namespace penstock::staging {

class ManualClock final : public Clock {
 public:
  [[nodiscard]] SteadyTime steady_now() const override { return now_; }
  [[nodiscard]] WallTime wall_now() const override { return WallTime{} + (now_ - SteadyTime{}); }
  void advance(std::chrono::milliseconds by) { now_ += by; }

 private:
  SteadyTime now_ = SteadyTime{} + std::chrono::hours(1);
};

/// `answer` sees each message and gives what the service would send back. A wait without an answer takes all
/// its time, on the clock.
class ScriptedLink final : public StagingLink {
 public:
  using Answer = std::function<std::vector<wire::Message>(const wire::Message&)>;
  ScriptedLink(ManualClock& clock, Answer answer) : clock_(clock), answer_(std::move(answer)) {}

  void open(const wire::PartitionRef&) override { ++opened; }
  void close(const wire::PartitionRef&) override { ++closed; }
  void send(const wire::GpuRoute&, wire::Message message) override {
    for (auto& reply : answer_(message)) replies_.push_back(std::move(reply));
    sent.push_back(std::move(message));
  }
  void send_chunk(const wire::GpuRoute&, const wire::StageChunk& chunk,
                  const wire::ChunkBytes& bytes) override {
    const auto view = bytes.view();
    chunks.emplace_back(chunk, std::vector<std::byte>(view.begin(), view.end()));
    if (on_chunk)
      for (auto& reply : on_chunk(chunk, view)) replies_.push_back(std::move(reply));
  }
  std::optional<wire::Message> wait_reply(const wire::PartitionRef&, std::chrono::milliseconds longest,
                                          std::stop_token stop) override {
    if (on_wait) on_wait();
    if (stop.stop_requested()) return std::nullopt;
    if (replies_.empty()) {
      clock_.advance(longest);
      return std::nullopt;
    }
    auto reply = std::move(replies_.front());
    replies_.pop_front();
    return reply;
  }
  std::string came_by(const wire::PartitionRef&) override { return address; }
  template <class Message>
  [[nodiscard]] std::vector<Message> all_sent() const {
    std::vector<Message> all;
    for (const auto& message : sent)
      if (const auto* one = std::get_if<Message>(&message)) all.push_back(*one);
    return all;
  }

  std::vector<wire::Message> sent;
  std::vector<std::pair<wire::StageChunk, std::vector<std::byte>>> chunks;
  std::function<std::vector<wire::Message>(const wire::StageChunk&, std::span<const std::byte>)> on_chunk;
  std::function<void()> on_wait;
  std::string address;  ///< by which all answers come
  int opened = 0, closed = 0;

 private:
  ManualClock& clock_;
  Answer answer_;
  std::deque<wire::Message> replies_;
};

inline Parcel parcel_for(const std::string& host_id) {
  Parcel parcel;
  parcel.partition = {JobId("job"), 0, 1, FencingToken{7}};
  parcel.circuit = CircuitId("circuit");
  parcel.gpu = {WorkerName("gpu-cpu"), Incarnation("one"), {"inproc://gpu"}, host_id, ""};
  return parcel;
}

inline wire::StageGrant grant_of(const wire::PartitionRef& partition, std::uint64_t lease,
                                 const std::filesystem::path& arena, std::uint64_t offset,
                                 std::uint64_t size) {
  return {.partition = partition,
          .lease = lease,
          .slab_token = FencingToken{lease * 10},
          .arena_path = arena.string(),
          .offset = offset,
          .size_bytes = size,
          .valid_for = std::chrono::seconds(30)};
}

}  // namespace penstock::staging
