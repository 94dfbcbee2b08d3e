# The envelope: one ZeroMQ frame holds one Message. The order of the union is that of wire::Message (messages.hpp).
@0xbd1f6c8f5c1d6a07;

using Cxx = import "/capnp/c++.capnp";
using Control = import "control.capnp";
using Task = import "task.capnp";
using Staging = import "staging.capnp";
using Result = import "result.capnp";
$Cxx.namespace("penstock::schema");

struct Message {
  union {
    hello @0 :Control.Hello;
    welcome @1 :Control.Welcome;
    heartbeat @2 :Control.Heartbeat;
    goodbye @3 :Control.Goodbye;
    refused @4 :Control.Refused;
    circuitOffer @5 :Control.CircuitOffer;
    circuitWithdrawn @6 :Control.CircuitWithdrawn;
    cancelPartition @7 :Control.CancelPartition;
    drain @8 :Control.Drain;
    synthesisTask @9 :Task.SynthesisTask;
    partitionProgress @10 :Task.PartitionProgress;
    partitionStaged @11 :Task.PartitionStaged;
    partitionFailed @12 :Task.PartitionFailed;
    stageRequest @13 :Staging.StageRequest;
    stageGrant @14 :Staging.StageGrant;
    stageCommit @15 :Staging.StageCommit;
    stageAbandon @16 :Staging.StageAbandon;
    stageAccepted @17 :Staging.StageAccepted;
    stageRefused @18 :Staging.StageRefused;
    partitionProved @19 :Result.PartitionProved;
    resultCommitted @20 :Result.ResultCommitted;
    stageChunk @21 :Staging.StageChunk;
    stageCredit @22 :Staging.StageCredit;
  }
}
