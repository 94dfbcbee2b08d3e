pragma circom 2.0.0;
template M(){ signal output o; signal t; t <== 5; o <== t*t; }
component main = M();
