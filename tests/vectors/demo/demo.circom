pragma circom 2.1.0;

// The demo's circuit, written for this project: nothing of it comes from a library.
//
// "I hold `leaves` secret amounts and a secret salt. Each amount is below 2^64, together they do not exceed
// the public `limit`, and this is the commitment to all of them." It exercises a prover the way real circuits
// do: bits (range checks), full-width values (a permutation), and wires that stand in B (real work in G2).
// Illustrative, not a reviewed hash.

// The value's bits, lowest first; refuses what does not fit.
template Bits(n) {
    signal input value;
    signal output bit[n];
    var sum = 0;
    for (var i = 0; i < n; i++) {
        bit[i] <-- (value >> i) & 1;
        bit[i] * (bit[i] - 1) === 0;
        sum += bit[i] * (1 << i);
    }
    sum === value;
}

// x^5: the power map of the permutation, a bijection where 5 does not divide r - 1 (true for both curves).
template Fifth() {
    signal input x;
    signal output y;
    signal square <== x * x;
    signal fourth <== square * square;
    y <== x * fourth;
}

// One round: add a constant, raise all three words to the fifth power, mix.
template Round(constant) {
    signal input word[3];
    signal output next[3];
    component power[3];
    for (var i = 0; i < 3; i++) {
        power[i] = Fifth();
        power[i].x <== word[i] + constant * (i + 1) + i;
    }
    // The matrix [[2,1,1],[1,2,1],[1,1,3]], of full rank.
    next[0] <== 2 * power[0].y + power[1].y + power[2].y;
    next[1] <== power[0].y + 2 * power[1].y + power[2].y;
    next[2] <== power[0].y + power[1].y + 3 * power[2].y;
}

// A sponge of one word: absorbs `value` into the state and permutes.
template Absorb(rounds) {
    signal input state[3];
    signal input value;
    signal output next[3];
    component round[rounds];
    for (var r = 0; r < rounds; r++) {
        round[r] = Round(7919 * r * r + 104729 * r + 1299709);
        for (var i = 0; i < 3; i++) {
            if (r == 0) {
                round[r].word[i] <== state[i] + (i == 0 ? value : 0);
            } else {
                round[r].word[i] <== round[r - 1].next[i];
            }
        }
    }
    for (var i = 0; i < 3; i++) next[i] <== round[rounds - 1].next[i];
}

template Demo(leaves, rounds) {
    signal input limit;
    signal input salt;
    signal input amount[leaves];
    signal output commitment;
    signal output total;

    component range[leaves];
    component absorb[leaves + 1];
    var sum = 0;
    for (var l = 0; l <= leaves; l++) {
        absorb[l] = Absorb(rounds);
        for (var i = 0; i < 3; i++) {
            if (l == 0) {
                absorb[l].state[i] <== i;
            } else {
                absorb[l].state[i] <== absorb[l - 1].next[i];
            }
        }
        if (l == leaves) {
            absorb[l].value <== salt;
        } else {
            range[l] = Bits(64);
            range[l].value <== amount[l];
            absorb[l].value <== amount[l];
            sum += amount[l];
        }
    }
    total <== sum;
    // total <= limit: the difference fits in 80 bits, and so does the limit.
    component small = Bits(80);
    small.value <== limit;
    component left = Bits(80);
    left.value <== limit - total;
    commitment <== absorb[leaves].next[0];
}

component main {public [limit]} = Demo(24, 32);
