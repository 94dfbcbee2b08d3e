# What every conversation shares: names, errors, references to circuits and partitions.
@0xbd1f6c8f5c1d6a02;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("penstock::schema");

enum CurveId { bn254 @0; bls12381 @1; }
enum Priority { low @0; normal @1; high @2; critical @3; }
enum WorkerKind { synthesis @0; gpu @1; }

# Mirrors common/base/error.hpp (a parity test compares them).
enum ErrorCode {
  fileTruncated @0; badMagic @1; unsupportedVersion @2; unsupportedProtocol @3; sectionMissing @4;
  sectionDuplicate @5; sizeMismatch @6; countOutOfRange @7; indexOutOfRange @8; badDomain @9; wrongPrime @10;
  curveMismatch @11; notCanonical @12; pointOffCurve @13; pointNotInSubgroup @14; customGates @15; keyMismatch @16;
  insecureKey @17; witnessUnsatisfied @18; signalMissing @19; signalSurplus @20; signalValue @21; assertFailed @22;
  timeLimit @23; memoryLimit @24; circuitUnknown @25; bodyTooLarge @26; unauthorized @27; conflict @28;
  overloaded @29; draining @30; cancelled @31; deadline @32; deviceUnavailable @33; outOfMemory @34;
  proofInvalid @35; internal @36; fileUnreadable @37; fileUnwritable @38; badFormat @39; badRequest @40;
  notFound @41;
}

struct Error {
  code @0 :ErrorCode;
  what @1 :Text;
  hint @2 :Text;
  file @3 :Text;
  hasOffset @4 :Bool;
  offset @5 :UInt64;
}

struct PartitionRef {
  job @0 :Text;
  index @1 :UInt32;
  attempt @2 :UInt32;
  token @3 :UInt64;
}

struct CircuitRef {
  id @0 :Text;  # 64 lower-case hex digits
  name @1 :Text;
  curve @2 :CurveId;
  hasWasm @3 :Bool;
  hasR1cs @4 :Bool;
  hasSym @5 :Bool;
  insecureDev @6 :Bool;
  variables @7 :UInt32;
  publics @8 :UInt32;
  domainSize @9 :UInt32;
}
