# GPU service <-> queue: a verified proof, and the word that it is durable.
@0xbd1f6c8f5c1d6a06;

using Cxx = import "/capnp/c++.capnp";
using Vocabulary = import "vocabulary.capnp";
using Phase = import "phase.capnp";
$Cxx.namespace("penstock::schema");

struct PartitionProved {
  partition @0 :Vocabulary.PartitionRef;
  proofJson @1 :Text;
  publicJson @2 :Text;
  device @3 :Text;
  phases @4 :List(Phase.PhaseTime);
}

struct ResultCommitted {
  partition @0 :Vocabulary.PartitionRef;
}
