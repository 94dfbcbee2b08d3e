# Queue <-> synthesis: one partition to turn into a witness, and how it went.
@0xbd1f6c8f5c1d6a04;

using Cxx = import "/capnp/c++.capnp";
using Vocabulary = import "vocabulary.capnp";
using Phase = import "phase.capnp";
$Cxx.namespace("penstock::schema");

enum InputKind { json @0; wtns @1; }
enum PartitionStage { compiling @0; synthesis @1; staging @2; staged @3; proving @4; }

struct GpuRoute {
  name @0 :Text;
  incarnation @1 :Text;
  dataEndpoints @2 :List(Text);
  hostId @3 :Text;
  curveKey @4 :Text;
}

struct SynthesisTask {
  partition @0 :Vocabulary.PartitionRef;
  circuit @1 :Vocabulary.CircuitRef;
  inputKind @2 :InputKind;
  input @3 :Data;  # secret
  priority @4 :Vocabulary.Priority;
  hasDeadline @5 :Bool;
  deadlineInMs @6 :UInt64;
  gpu @7 :GpuRoute;
}

struct PartitionProgress {
  partition @0 :Vocabulary.PartitionRef;
  stage @1 :PartitionStage;
}

struct PartitionStaged {
  partition @0 :Vocabulary.PartitionRef;
  gpu @1 :Text;
  phases @2 :List(Phase.PhaseTime);
}

struct PartitionFailed {
  partition @0 :Vocabulary.PartitionRef;
  error @1 :Vocabulary.Error;
  retryable @2 :Bool;
  phases @3 :List(Phase.PhaseTime);
}
