# Synthesis <-> GPU service: lease a slab, fill it, commit it.
@0xbd1f6c8f5c1d6a05;

using Cxx = import "/capnp/c++.capnp";
using Vocabulary = import "vocabulary.capnp";
using Phase = import "phase.capnp";
$Cxx.namespace("penstock::schema");

enum PartitionKind { witness @0; evaluated @1; }
enum Encoding { raw @0; packed @1; }
enum ResultTo { queue @0; worker @1; }

struct StageRequest {
  partition @0 :Vocabulary.PartitionRef;
  circuit @1 :Text;
  worker @2 :Text;
  workerIncarnation @3 :Text;
  hostId @4 :Text;
  kind @5 :PartitionKind;
  encoding @6 :Encoding;
  sizeBytes @7 :UInt64;
  priority @8 :Vocabulary.Priority;
  remote @9 :Bool;  # the worker cannot reach the arena: it asks for chunk credits
  resultTo @10 :ResultTo;  # worker: a foreign synthesizer, which no queue knows of
}

struct StageGrant {
  partition @0 :Vocabulary.PartitionRef;
  lease @1 :UInt64;
  slabToken @2 :UInt64;
  arenaPath @3 :Text;
  offset @4 :UInt64;
  sizeBytes @5 :UInt64;
  validForMs @6 :UInt64;
  chunkBytes @7 :UInt32;  # 0: same host, write to the arena
  chunkCredits @8 :UInt32;
  receivedBytes @9 :UInt64;
}

# Followed by a second frame with the bytes.
struct StageChunk {
  partition @0 :Vocabulary.PartitionRef;
  lease @1 :UInt64;
  slabToken @2 :UInt64;
  offset @3 :UInt64;
  checksum @4 :UInt64;
}

struct StageCredit {
  partition @0 :Vocabulary.PartitionRef;
  lease @1 :UInt64;
  receivedBytes @2 :UInt64;
  rewind @3 :Bool;
}

struct StageCommit {
  partition @0 :Vocabulary.PartitionRef;
  lease @1 :UInt64;
  slabToken @2 :UInt64;
  usedBytes @3 :UInt64;
  digest @4 :UInt64;
  phases @5 :List(Phase.PhaseTime);
}

struct StageAbandon {
  partition @0 :Vocabulary.PartitionRef;
  lease @1 :UInt64;
}

struct StageAccepted {
  partition @0 :Vocabulary.PartitionRef;
  lease @1 :UInt64;
}

struct StageRefused {
  partition @0 :Vocabulary.PartitionRef;
  error @1 :Vocabulary.Error;
  retryable @2 :Bool;
}
