// A penstock-witness-runner child: started, spoken with, and gone when this object is. Ownership: move-only;
// the destructor kills and reaps. Threads: one at a time, and the thread that starts it must outlive it (the
// child dies with the thread that started it). Errors: time_limit, cancelled, internal, and what its death
// says.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/clock.hpp"
#include "common/base/result.hpp"
#include "services/synthesis/witness/runner_protocol.hpp"
#include "services/synthesis/witness/shared_memory.hpp"

namespace penstock::synthesis {

/// How long to wait, and what to do meanwhile.
struct Patience {
  SteadyTime until;
  int stop_descriptor = -1;           ///< readable: give up with `cancelled`
  std::function<Status()> tick = {};  ///< called about four times a second while waiting; an error ends it
};

/// Turns a stop request into a readable descriptor. Ownership: keep it while the descriptor is in use.
class StopSignal {
 public:
  explicit StopSignal(std::stop_token stop);
  [[nodiscard]] int descriptor() const { return event_.number(); }

 private:
  Descriptor event_;
  std::stop_callback<std::function<void()>> callback_;
};

struct RunnerFrame {
  protocol::FrameKind kind{};
  std::vector<std::byte> payload;
};

class RunnerProcess {
 public:
  struct Options {
    std::filesystem::path runner;
    std::vector<std::string> arguments;  ///< after the program's name
    int program = -1;                    ///< becomes program_descriptor
    int witness = -1;                    ///< becomes witness_descriptor; may be -1
  };
  [[nodiscard]] static Result<RunnerProcess> start(const Options& options);
  RunnerProcess(RunnerProcess&& other) noexcept;
  RunnerProcess& operator=(RunnerProcess&&) = delete;
  ~RunnerProcess();

  /// Sends one frame of two parts. Gives up silently when the child has something to say first, or is gone:
  /// receive() then tells what.
  [[nodiscard]] Status send(protocol::FrameKind kind, std::span<const std::byte> header,
                            std::span<const std::byte> payload, const Patience& patience);
  /// The next frame; an Error when the child died without one.
  [[nodiscard]] Result<RunnerFrame> receive(const Patience& patience);
  /// Waits for the end of a child that has finished; kills it when it takes long.
  void wait();

 private:
  RunnerProcess(pid_t child, Descriptor channel) : child_(child), channel_(std::move(channel)) {}
  enum class Ready : std::uint8_t { read, write };
  [[nodiscard]] Result<Ready> wait_for(short events, const Patience& patience);
  [[nodiscard]] Status read_exactly(std::span<std::byte> into, const Patience& patience);
  [[nodiscard]] Error death();
  void kill() noexcept;
  [[nodiscard]] std::optional<int> reap(std::chrono::milliseconds within);

  pid_t child_ = -1;
  Descriptor channel_;
};

/// `configured`, or penstock-witness-runner beside the running program or in ../libexec/penstock.
[[nodiscard]] Result<std::filesystem::path> find_runner(const std::filesystem::path& configured);

}  // namespace penstock::synthesis
