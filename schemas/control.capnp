# Worker <-> queue: who is there, what it holds, which circuits exist.
@0xbd1f6c8f5c1d6a03;

using Cxx = import "/capnp/c++.capnp";
using Vocabulary = import "vocabulary.capnp";
$Cxx.namespace("penstock::schema");

struct Hello {
  protocol @0 :UInt32;
  kind @1 :Vocabulary.WorkerKind;
  name @2 :Text;
  incarnation @3 :Text;
  version @4 :Text;
  pid @5 :Int64;
  hostId @6 :Text;
  credits @7 :UInt32;
  metricsAddress @8 :Text;
  dataEndpoints @9 :List(Text);
  device @10 :Text;
  arenaBytes @11 :UInt64;
  allowInsecureKeys @12 :Bool;
  curveKey @13 :Text;
}

struct Welcome {
  queue @0 :Text;
  heartbeatIntervalMs @1 :UInt64;
  heartbeatTimeoutMs @2 :UInt64;
  circuits @3 :List(Vocabulary.CircuitRef);
}

struct Heartbeat {
  incarnation @0 :Text;
  creditsFree @1 :UInt32;
  inFlight @2 :List(Vocabulary.PartitionRef);
}

struct Goodbye {
  incarnation @0 :Text;
}

struct Refused {
  error @0 :Vocabulary.Error;
}

struct CircuitOffer {
  circuit @0 :Vocabulary.CircuitRef;
  preload @1 :Bool;
}

struct CircuitWithdrawn {
  circuit @0 :Text;
  remove @1 :Bool;
}

struct CancelPartition {
  partition @0 :Vocabulary.PartitionRef;
}

struct Drain {}
