pragma circom 2.2.0;
bus P(){ signal x; signal y; }
template M(){ input P() p; input P() q[2]; signal input m[2][3]; signal output o; log("hello", p.x); signal t; t <== p.x*q[0].y; o <== t*q[1].x + m[1][2]; }
component main {public [m]} = M();
