#include "services/synthesis/witness/witness_run.hpp"

#include <algorithm>
#include <cstring>

#include "common/circuit/curve_primes.hpp"
#include "services/synthesis/witness/signal_check.hpp"

namespace penstock::synthesis {
namespace {

using protocol::FrameKind;

constexpr std::uint64_t value_bytes = sizeof(circuit::Scalar);
constexpr std::uint32_t circom_major = 2;
constexpr std::size_t most_notes = 16;
/// The child limits its own processor time a little above the wall time, should this process be stopped.
constexpr std::chrono::seconds cpu_margin{5};

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

}  // namespace

Result<RunnerFrame> WitnessRun::receive(FrameKind wanted) {
  RunnerFrame frame = PENSTOCK_TRY(process_->receive(patience_));
  if (frame.kind == FrameKind::failed) return error_of(frame.payload, failure_);
  if (frame.kind != wanted) return Error{ErrorCode::bad_format, "the witness program broke its runner"};
  return frame;
}

Status WitnessRun::tick(SteadyTime begin) {
  const auto elapsed =
      std::chrono::floor<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  if (witness_.progress) witness_.progress({Progress::Step::computing, elapsed, {}});
  given_up_ = options_.give_up && options_.give_up(elapsed);
  if (given_up_) return Error{ErrorCode::cancelled, "the interpreter was overtaken by the compiler"};
  return {};
}

Status WitnessRun::describe() {
  const RunnerFrame frame = PENSTOCK_TRY(receive(FrameKind::described));
  if (frame.payload.size() != sizeof(description_))
    return Error{ErrorCode::bad_format, "the witness program broke its runner"};
  std::memcpy(&description_, frame.payload.data(), sizeof(description_));
  if (description_.version[0] != circom_major)
    return Error{ErrorCode::unsupported_version,
                 "a witness program of circom " + std::to_string(description_.version[0]),
                 "compile the circuit with circom 2"};
  const auto is_ours = [&](CurveId curve) {
    return description_.words * 4 == value_bytes && description_.prime == circuit::scalar_modulus(curve);
  };
  if (is_ours(CurveId::bn254))
    curve_ = CurveId::bn254;
  else if (is_ours(CurveId::bls12_381))
    curve_ = CurveId::bls12_381;
  else
    return Error{ErrorCode::wrong_prime, "the witness program's field belongs to no curve we prove on",
                 "compile the circuit with -p bn128 or -p bls12381"};
  if (description_.witness_size == 0)
    return Error{ErrorCode::bad_format, "the witness program has an empty witness"};
  if (description_.witness_size * value_bytes > witness_.memory_limit_bytes)
    return Error{ErrorCode::memory_limit, "the witness alone is larger than the memory limit",
                 "raise the memory limit"};
  return {};
}

Result<std::vector<std::int32_t>> WitnessRun::ask_sizes(const std::vector<std::string>& names) {
  std::vector<std::int32_t> sizes;
  static constexpr std::size_t batch = protocol::max_frame_bytes / sizeof(std::uint64_t);
  for (std::size_t first = 0; first < names.size(); first += batch) {
    const std::size_t count = std::min(batch, names.size() - first);
    std::vector<std::uint64_t> hashes;
    for (std::size_t i = first; i < first + count; ++i)
      hashes.push_back(protocol::signal_hash(names[i].data(), names[i].size()));
    PENSTOCK_TRY(process_->send(FrameKind::sizes, std::as_bytes(std::span(hashes)), {}, patience_));
    const RunnerFrame frame = PENSTOCK_TRY(receive(FrameKind::sizes));
    if (frame.payload.size() != count * sizeof(std::int32_t))
      return Error{ErrorCode::bad_format, "the witness program broke its runner"};
    sizes.resize(first + count);
    std::memcpy(sizes.data() + first, frame.payload.data(), frame.payload.size());
  }
  return sizes;
}

Status WitnessRun::check_signals(const std::vector<InputSignal>& signals) {
  std::vector<std::string> names;
  for (const InputSignal& signal : signals) names.push_back(signal.name);
  const auto sizes = PENSTOCK_TRY(ask_sizes(names));
  PENSTOCK_TRY(check_given(signals, sizes));
  // circom's own calculator does not notice missing inputs.
  if (count_values(signals) >= description_.input_size) return {};
  std::vector<std::string> missing;
  if (witness_.symbols != nullptr) {
    const std::vector<std::string> candidates = candidate_names(*witness_.symbols);
    const auto wanted = PENSTOCK_TRY(ask_sizes(candidates));
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if (wanted[i] > 0 && std::find(names.begin(), names.end(), candidates[i]) == names.end())
        missing.push_back(shown_name(candidates[i]));
  }
  return missing_values(signals, description_.input_size, missing);
}

Status WitnessRun::set_signal(const InputSignal& signal) {
  const FieldLimbs modulus = circuit::scalar_modulus(curve_);
  const std::uint64_t hash = protocol::signal_hash(signal.name.data(), signal.name.size());
  SensitiveVector<FieldLimbs> values(std::min<std::size_t>(signal.values.size(), protocol::values_per_set));
  for (std::size_t first = 0; first < signal.values.size(); first += values.size()) {
    const std::size_t count = std::min(values.size(), signal.values.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      const Reduced reduced = reduce(signal.values[first + i], modulus);
      values.reveal()[i] = reduced.value;
      if (reduced.was_reduced && notes_.size() < most_notes)
        notes_.push_back("signal " + shown_name(signal.name) +
                         (signal.values.size() > 1 ? "[" + std::to_string(first + i) + "]" : "") +
                         " was not below the field's prime and has been reduced");
    }
    const protocol::SetHeader header{hash, static_cast<std::uint32_t>(first),
                                     static_cast<std::uint32_t>(count)};
    PENSTOCK_TRY(process_->send(FrameKind::set, bytes_of(header), std::as_bytes(values.reveal().first(count)),
                                patience_));
  }
  return {};
}

Result<ComputedWitness> WitnessRun::run(const std::vector<InputSignal>& signals) {
  const StopSignal stop(witness_.stop);
  const auto begin = std::chrono::steady_clock::now();
  patience_.until = begin + witness_.time_limit;
  patience_.stop_descriptor = stop.descriptor();
  patience_.tick = [this, begin] { return tick(begin); };
  const Descriptor file = PENSTOCK_TRY(SharedMemory::create_file("penstock-witness"));
  const auto cpu = std::chrono::ceil<std::chrono::seconds>(witness_.time_limit) + cpu_margin;
  process_.emplace(PENSTOCK_TRY(
      RunnerProcess::start({options_.runner,
                            {"run", options_.engine == Engine::compiled ? "compiled" : "interpreted",
                             std::to_string(witness_.memory_limit_bytes), std::to_string(cpu.count())},
                            options_.program,
                            file.number()})));
  PENSTOCK_TRY(describe());
  PENSTOCK_TRY(check_signals(signals));
  SharedMemory values =
      PENSTOCK_TRY(SharedMemory::size_and_map(file, std::uint64_t{description_.witness_size} * value_bytes));
  for (const InputSignal& signal : signals) PENSTOCK_TRY(set_signal(signal));
  PENSTOCK_TRY(process_->send(FrameKind::finish, {}, {}, patience_));
  static_cast<void>(PENSTOCK_TRY(receive(FrameKind::finished)));
  // Nobody else may hold the memory any more when the values are checked: what is checked is what is used.
  process_.reset();
  ComputedWitness witness(std::move(values), curve_, std::move(notes_), options_.engine);
  PENSTOCK_TRY(circuit::check_witness_values(witness.view()));
  return witness;
}

}  // namespace penstock::synthesis
