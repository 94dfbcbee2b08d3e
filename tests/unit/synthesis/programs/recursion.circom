pragma circom 2.0.0;
function f(n){ if (n==0) { return 1; } return f(n-1)+1; }
template M(){ signal input a; signal output o; o <== a * f(20); var r = 0; if (a > 3) { r = f(a); } signal w; w <-- r; }
component main = M();
