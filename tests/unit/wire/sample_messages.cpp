#include "tests/unit/wire/sample_messages.hpp"

namespace penstock::wire::test {
namespace {

CircuitId sample_circuit_id() {
  return CircuitId(std::string(60, 'a') + "09f1");
}

CircuitRef sample_circuit() {
  CircuitRef out;
  out.id = sample_circuit_id();
  out.name = "merkle-20";
  out.curve = CurveId::bls12_381;
  out.has_wasm = out.has_r1cs = out.has_sym = out.insecure_dev = true;
  out.variables = 5300;
  out.publics = 3;
  out.domain_size = 8192;
  return out;
}

Error sample_error() {
  return Error{.code = ErrorCode::witness_unsatisfied,
               .what = "constraint 12 does not hold, signal main.é",
               .hint = "check the input",
               .file = "input.json",
               .offset = 77};
}

telemetry::PhaseTimes sample_phases() {
  telemetry::PhaseTimes out;
  out.add(Phase::admit, telemetry::Duration(1));
  out.add(Phase::witness, std::chrono::milliseconds(14));
  out.add(Phase::result, std::chrono::hours(30));
  return out;
}

Hello sample_hello() {
  Hello out;
  out.protocol = 7;
  out.kind = WorkerKind::gpu;
  out.name = WorkerName("gpu-0");
  out.incarnation = Incarnation("3b241101-e2bb-4255-8caf-4136c566a962");
  out.version = "0.1.0";
  out.pid = -3;
  out.host_id = "boot";
  out.credits = 12;
  out.metrics_address = "127.0.0.1:7791";
  out.data_endpoints = {"ipc:///run/gpu.sock", "tcp://127.0.0.1:7710"};
  out.device = "cuda:1";
  out.arena_bytes = std::uint64_t{1} << 40;
  out.allow_insecure_keys = true;
  out.curve_key = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7";
  return out;
}

SynthesisTask sample_task() {
  SynthesisTask out;
  out.partition = sample_partition();
  out.circuit = sample_circuit();
  out.input_kind = InputKind::wtns;
  for (int i = 0; i < 1000; ++i) out.input.push_back(static_cast<std::byte>(i));
  out.priority = Priority::critical;
  out.deadline_in = std::chrono::minutes(5);
  out.gpu = GpuRoute{WorkerName("gpu-0"), Incarnation("boot-1"), {"tcp://127.0.0.1:1"}, "host", "key"};
  return out;
}

StageRequest sample_request() {
  StageRequest out;
  out.partition = sample_partition();
  out.circuit = sample_circuit_id();
  out.worker = WorkerName("synthesis-1");
  out.worker_incarnation = Incarnation("boot-2");
  out.host_id = "host";
  out.kind = PartitionKind::evaluated;
  out.encoding = Encoding::packed;
  out.size_bytes = 1 << 20;
  out.priority = Priority::high;
  out.remote = true;
  out.result_to = ResultTo::worker;
  return out;
}

StageGrant sample_grant() {
  return StageGrant{sample_partition(),
                    9,
                    FencingToken{10},
                    "/dev/shm/arena",
                    4096,
                    8192,
                    std::chrono::seconds(30),
                    1 << 20,
                    8,
                    4096};
}

}  // namespace

PartitionRef sample_partition() {
  return PartitionRef{JobId("job-01HX"), 3, 2, FencingToken{41}};
}

std::vector<Message> sample_messages() {
  const PartitionRef partition = sample_partition();
  return {
      sample_hello(),
      Welcome{Incarnation("queue-1"),
              std::chrono::milliseconds(250),
              std::chrono::seconds(3),
              {sample_circuit(), sample_circuit()}},
      Heartbeat{Incarnation("boot-3"), 4, {partition, partition}},
      Goodbye{Incarnation("boot-4")},
      Refused{sample_error()},
      CircuitOffer{sample_circuit(), true},
      CircuitWithdrawn{sample_circuit_id(), true},
      CancelPartition{partition},
      Drain{},
      sample_task(),
      PartitionProgress{partition, PartitionStage::proving},
      PartitionStaged{partition, Incarnation("boot-5"), sample_phases()},
      PartitionFailed{partition, sample_error(), true, sample_phases()},
      sample_request(),
      sample_grant(),
      StageCommit{partition, 9, FencingToken{11}, 4000, 0xDEADBEEF, sample_phases()},
      StageAbandon{partition, 9},
      StageAccepted{partition, 9},
      StageRefused{partition, sample_error(), true},
      PartitionProved{partition, R"({"pi_a":[]})", R"(["1"])", "cpu", sample_phases()},
      ResultCommitted{partition},
      StageChunk{partition, 9, FencingToken{11}, 1 << 20, 0xFEEDFACE},
      StageCredit{partition, 9, 1 << 21, true},
  };
}

}  // namespace penstock::wire::test
