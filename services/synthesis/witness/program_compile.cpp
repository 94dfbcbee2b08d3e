#include "services/synthesis/witness/program_compile.hpp"

#include <cstring>

#include "services/synthesis/witness/runner_process.hpp"
#include "services/synthesis/witness/witness_run.hpp"

namespace penstock::synthesis {
namespace {

using protocol::FrameKind;
using protocol::StepKind;

/// The compiler's own processor limit is below this.
constexpr std::chrono::minutes compile_time_limit{25};

/// Measured on 2 cores (gcc 12): 0.5 s for the smallest program, 26 s for one of 1.75 MB.
std::chrono::milliseconds expected_compile(std::uint64_t wasm_bytes) {
  return std::chrono::milliseconds(300 + wasm_bytes * 14 / 1000);
}

}  // namespace

std::vector<std::string> ProgramCompile::arguments(const char* lifetime) const {
  return {"compile", cache_.folder().string(), key_, std::to_string(cache_.max_bytes()), lifetime};
}

Status ProgramCompile::run(int wasm, std::stop_token stop, const ProgressCallback& progress) const {
  if (cache_.contains(key_)) return {};
  const StopSignal stopped(std::move(stop));
  const auto begin = std::chrono::steady_clock::now();
  Progress now{Progress::Step::translating, {}, expected_compile(wasm_bytes_)};
  const auto report = [&] {
    now.elapsed = std::chrono::floor<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
    if (progress) progress(now);
    return Status();
  };
  const Patience patience{begin + compile_time_limit, stopped.descriptor(), report};
  RunnerProcess process = PENSTOCK_TRY(RunnerProcess::start({runner_, arguments("attached"), wasm, -1}));
  PENSTOCK_TRY(report());
  for (;;) {
    const RunnerFrame frame = PENSTOCK_TRY(process.receive(patience));
    std::optional<protocol::FailureKind> ignored;
    if (frame.kind == FrameKind::failed) return error_of(frame.payload, ignored);
    if (frame.kind == FrameKind::finished) break;
    std::uint32_t step = 0;
    if (frame.kind != FrameKind::step || frame.payload.size() != sizeof(step))
      return Error{ErrorCode::internal, "penstock-witness-runner answered nonsense"};
    std::memcpy(&step, frame.payload.data(), sizeof(step));
    if (static_cast<StepKind>(step) == StepKind::compiling) now.step = Progress::Step::compiling;
    if (static_cast<StepKind>(step) == StepKind::compiled) now.step = Progress::Step::compiled;
    PENSTOCK_TRY(report());
  }
  process.wait();
  return {};
}

Status ProgramCompile::run_detached(int wasm) const {
  if (cache_.contains(key_)) return {};
  RunnerProcess process = PENSTOCK_TRY(RunnerProcess::start({runner_, arguments("detached"), wasm, -1}));
  // The child leaves a process of another session behind and ends at once.
  process.wait();
  return {};
}

}  // namespace penstock::synthesis
