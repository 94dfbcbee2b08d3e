# How long each phase of one partition took. The list mirrors common/base/phase.hpp (a parity test compares them).
@0xbd1f6c8f5c1d6a01;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("penstock::schema");

enum Phase {
  admit @0; queueWait @1; retryWait @2; reply @3;
  compile @4; witness @5; r1csCheck @6; pack @7; slabWait @8; stage @9;
  circuitWait @10; laneWait @11; h2d @12; deviceWait @13; decode @14; spmv @15; ntt @16; digits @17;
  msmH @18; msmC @19; msmA @20; msmB1 @21; msmB2 @22; d2h @23; finish @24; verify @25; result @26;
}

struct PhaseTime {
  phase @0 :Phase;
  nanoseconds @1 :Int64;
}
