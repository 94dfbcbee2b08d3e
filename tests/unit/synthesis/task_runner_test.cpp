// Tasks from input to slab with real circuits, over a scripted GPU service.
#include "services/synthesis/task_runner.hpp"

#include "common/circuit/packed_witness.hpp"
#include "support.hpp"
#include "tests/unit/staging/staging_rig.hpp"

namespace penstock::synthesis {
namespace {

namespace fs = std::filesystem;

class TaskRunnerSuite : public ::testing::Test {
 protected:
  TaskRunnerSuite() {
    options_.programs = options_in(folder_.path());
    options_.staging.host_id = "this host";
    register_circuit("mul", 4);
  }
  /// CIRCUITS/<name>-id with the files of a vector.
  void register_circuit(const std::string& circuit, std::uint32_t variables) {
    ref_ = {CircuitId(circuit + "-id"), circuit, CurveId::bn254, true, true, true, true, variables, 1, 4};
    const fs::path folder = folder_.path() / "circuits" / ref_.id.text();
    fs::create_directories(folder);
    const auto overwrite = fs::copy_options::overwrite_existing;
    fs::copy_file(vectors() / "bn254" / (circuit + ".wasm"), folder / "program.wasm", overwrite);
    fs::copy_file(vectors() / "bn254" / (circuit + ".r1cs"), folder / "constraints.r1cs", overwrite);
    fs::copy_file(vectors() / "bn254" / (circuit + ".sym"), folder / "symbols.sym", overwrite);
  }
  TaskOutcome run(const std::string& input, wire::InputKind kind = wire::InputKind::json) {
    staging::ScriptedLink link(clock_, [&](const wire::Message& message) -> std::vector<wire::Message> {
      if (const auto* request = std::get_if<wire::StageRequest>(&message)) {
        asked_bytes_ = request->size_bytes;
        return {staging::grant_of(request->partition, 1, arena_path_, 0, request->size_bytes)};
      }
      const auto* commit = std::get_if<wire::StageCommit>(&message);
      if (commit == nullptr) return {};
      committed_ = *commit;
      return {wire::StageAccepted{commit->partition, commit->lease}};
    });
    wire::SynthesisTask task;
    task.partition = {JobId("job"), 0, 1, FencingToken{7}};
    task.circuit.id = CircuitId("circuit");
    task.circuit.name = "mul";
    task.gpu = staging::parcel_for("this host").gpu;
    task.circuit = ref_;
    task.input_kind = kind;
    const auto bytes = bytes_of(input);
    task.input.assign(bytes.begin(), bytes.end());
    task.deadline_in = deadline_;
    const TaskRunner runner(options_, circuits_, link, arenas_, clock_);
    phases_ = {};
    auto outcome = runner.run(
        std::move(task), stop_.get_token(), [&](wire::PartitionStage stage) { stages_.push_back(stage); },
        phases_);
    EXPECT_EQ(link.opened, link.closed);
    return outcome;
  }
  std::string failure_of(const TaskOutcome& outcome) {
    const auto* failed = std::get_if<wire::PartitionFailed>(&outcome);
    if (failed == nullptr) return "staged";
    retryable_ = failed->retryable;
    error_ = failed->error;
    return std::string(name(failed->error.code));
  }
  std::string wtns(const std::string& name) { return read_file(vectors() / "bn254" / name); }

  TemporaryFolder folder_;
  const fs::path arena_path_ = folder_.path() / "arena";
  std::unique_ptr<wire::ArenaFile> arena_ = wire::ArenaFile::create(arena_path_, 1 << 20).value();
  staging::ManualClock clock_;
  TaskOptions options_;
  CircuitShelf circuits_{folder_.path() / "circuits"};
  staging::Arenas arenas_;
  wire::CircuitRef ref_;
  std::stop_source stop_;
  std::optional<std::chrono::milliseconds> deadline_;
  telemetry::PhaseTimes phases_;
  std::vector<wire::PartitionStage> stages_;
  std::uint64_t asked_bytes_ = 0;
  wire::StageCommit committed_;
  Error error_;
  bool retryable_ = false;
};

TEST_F(TaskRunnerSuite, StagesAComputedWitnessPacked) {
  ASSERT_EQ(failure_of(run(R"({"a": 3, "b": 11})")), "staged");
  const auto packed = arena_->memory().first(committed_.used_bytes);
  const auto shape = circuit::packed_shape(packed);
  ASSERT_TRUE(shape.ok());
  std::vector<circuit::Scalar> values(shape->wires);
  ASSERT_TRUE(circuit::unpack_witness(packed, values).ok());
  EXPECT_EQ(values.size(), 4U);
  EXPECT_EQ(values[1][0], 33U);
  EXPECT_EQ(asked_bytes_, circuit::packed_size_bound(4));
  for (const Phase phase :
       {Phase::compile, Phase::witness, Phase::r1cs_check, Phase::slab_wait, Phase::pack, Phase::stage})
    EXPECT_TRUE(phases_.get(phase)) << name(phase);
  // The GPU service reports what it was told; the queue hears only the rest.
  EXPECT_TRUE(committed_.phases.get(Phase::witness));
  EXPECT_FALSE(committed_.phases.get(Phase::stage));
  EXPECT_EQ(stages_.back(), wire::PartitionStage::staging);
}

TEST_F(TaskRunnerSuite, TellsTheQueueOnlyThePhasesThatTheCommitDidNotCarry) {
  const auto outcome = run(R"({"a": 3, "b": 11})");
  const auto* staged = std::get_if<wire::PartitionStaged>(&outcome);
  ASSERT_NE(staged, nullptr);
  EXPECT_EQ(staged->gpu, Incarnation("one"));
  EXPECT_TRUE(staged->phases.get(Phase::stage));
  EXPECT_FALSE(staged->phases.get(Phase::witness));
}

TEST_F(TaskRunnerSuite, StagesAGivenWitness) {
  EXPECT_EQ(failure_of(run(wtns("mul.wtns"), wire::InputKind::wtns)), "staged");
}

TEST_F(TaskRunnerSuite, NamesTheConstraintAndTheSignalsOfABrokenWitness) {
  register_circuit("chain", 303);
  EXPECT_EQ(failure_of(run(wtns("f_wrongwire.wtns"), wire::InputKind::wtns)), "witness_unsatisfied");
  EXPECT_FALSE(retryable_);
  EXPECT_NE(error_.what.find("constraint"), std::string::npos) << error_.what;
  EXPECT_NE(error_.what.find("main.t["), std::string::npos) << error_.what;
  EXPECT_EQ(committed_.used_bytes, 0U);
}

TEST_F(TaskRunnerSuite, LetsABrokenWitnessPassWhereNobodyAskedForTheCheck) {
  register_circuit("chain", 303);
  options_.check_r1cs = false;
  EXPECT_EQ(failure_of(run(wtns("f_wrongwire.wtns"), wire::InputKind::wtns)), "staged");
}

TEST_F(TaskRunnerSuite, RefusesEveryMalformedWitness) {
  register_circuit("chain", 303);
  const std::pair<const char*, const char*> table[] = {{"f_badprime.wtns", "wrong_prime"},
                                                       {"f_empty.wtns", "file_truncated"},
                                                       {"f_ff.wtns", "not_canonical"},
                                                       {"f_shortsec.wtns", "size_mismatch"},
                                                       {"f_unreduced_pub.wtns", "not_canonical"},
                                                       {"f_extra.wtns", "staged"}};
  for (const auto& [file, code] : table)
    EXPECT_EQ(failure_of(run(wtns(file), wire::InputKind::wtns)), code) << file;
}

TEST_F(TaskRunnerSuite, RefusesAWitnessOfAnotherShapeOrCurve) {
  EXPECT_EQ(failure_of(run(wtns("chain.wtns"), wire::InputKind::wtns)), "size_mismatch");
  EXPECT_EQ(failure_of(run(read_file(vectors() / "bls12_381/mul.wtns"), wire::InputKind::wtns)),
            "curve_mismatch");
}

TEST_F(TaskRunnerSuite, BlamesTheInputForWhatTheInputCauses) {
  EXPECT_EQ(failure_of(run(R"({"a": 3})")), "signal_missing");
  EXPECT_EQ(error_.what, "the input lacks b");  // named by the registered symbols
  EXPECT_FALSE(retryable_);
  EXPECT_EQ(failure_of(run(R"({"a": 3, "b": 4, "z": 5})")), "signal_surplus");
  EXPECT_EQ(failure_of(run(R"({"a": 3, "b": 1.5})")), "signal_value");
  EXPECT_EQ(failure_of(run("nonsense")), "bad_format");
  EXPECT_FALSE(retryable_);
  EXPECT_EQ(error_.file, "");
  register_circuit("nopub", 4);
  EXPECT_EQ(failure_of(run(R"({"a": 3, "b": 12})")), "assert_failed");
  EXPECT_FALSE(retryable_);
}

// Fault: a circuit that was opened without symbols never got any.
TEST_F(TaskRunnerSuite, NamesSignalsFromTheMomentTheSymbolsAreThere) {
  ref_.has_sym = false;
  const fs::path symbols = folder_.path() / "circuits" / ref_.id.text() / "symbols.sym";
  fs::remove(symbols);
  EXPECT_EQ(failure_of(run(R"({"a": 3})")), "signal_missing");
  EXPECT_NE(error_.what, "the input lacks b");
  fs::copy_file(vectors() / "bn254/mul.sym", symbols);
  EXPECT_EQ(failure_of(run(R"({"a": 3})")), "signal_missing");
  EXPECT_EQ(error_.what, "the input lacks b");
}

TEST_F(TaskRunnerSuite, SaysWhenACircuitOrItsProgramIsNotThere) {
  ref_.has_wasm = false;
  EXPECT_EQ(failure_of(run(R"({"a": 3, "b": 11})")), "bad_request");
  ref_.id = CircuitId("unknown");
  EXPECT_EQ(failure_of(run(R"({"a": 3, "b": 11})")), "circuit_unknown");
  EXPECT_EQ(error_.file, "unknown");  // not where this worker keeps it
  EXPECT_TRUE(retryable_);
  ref_.id = CircuitId("../circuits/mul-id");
  EXPECT_EQ(failure_of(run(R"({"a": 3, "b": 11})")), "circuit_unknown");
}

TEST_F(TaskRunnerSuite, CallsATimeThatTheDeadlineCutShortADeadline) {
  deadline_ = std::chrono::milliseconds(-5);
  EXPECT_EQ(failure_of(run(R"({"a": 3, "b": 11})")), "deadline");
  EXPECT_FALSE(retryable_);
}

TEST_F(TaskRunnerSuite, StopsWhenItIsCancelled) {
  stop_.request_stop();
  EXPECT_EQ(failure_of(run(R"({"a": 3, "b": 11})")), "cancelled");
  EXPECT_EQ(committed_.used_bytes, 0U);
}

}  // namespace
}  // namespace penstock::synthesis
