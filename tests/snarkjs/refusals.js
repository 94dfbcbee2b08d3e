// `penstock verify` refuses every alteration of a valid proof, of its publics and of its points: exit 1, one line.
'use strict';
const t = require('./support.js');

// Points on the curve (of G2's twist) outside the subgroup of order r: x has small coefficients, y is its root.
const G2_OUTSIDE = {
  bn254: [['2', '1'],
    ['7292567877523311580221095596750716176434782432868683424513645834767876293070',
     '19659275751359636165940301690575149581329631496732780143538578556285923319774'], ['1', '0']],
  bls12_381: [['1', '1'],
    ['3690720871793337241455685075743049883097434000553861439128973496444191283866836383567731089800858963424329464681674',
     '122693191027751655510194168700308213538794246775313976814212532628791625595109057816964505439501482194282347419502'],
    ['1', '0']],
};
const q = {
  bn254: 21888242871839275222246405745257275088696311157297823662689037894645226208583n,
  bls12_381: 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn,
};

const copy = (value) => JSON.parse(JSON.stringify(value));
const flip = (text, bit) => (BigInt(text) ^ (1n << BigInt(bit))).toString();

/** [what, altered proof] */
function* alteredProofs(curve, proof) {
  for (const [key, coordinate] of [['pi_a', 0], ['pi_a', 1], ['pi_c', 0], ['pi_c', 1]]) {
    for (const bit of [0, 1, 63, 64, 200, 253]) {
      const altered = copy(proof);
      altered[key][coordinate] = flip(altered[key][coordinate], bit);
      yield [`bit ${bit} of ${key}[${coordinate}]`, altered];
    }
  }
  for (const [i, j] of [[0, 0], [0, 1], [1, 0], [1, 1]]) {
    const altered = copy(proof);
    altered.pi_b[i][j] = flip(altered.pi_b[i][j], 7);
    yield [`bit 7 of pi_b[${i}][${j}]`, altered];
  }
  const negate = (y) => ((q[curve.name] - BigInt(y)) % q[curve.name]).toString();
  const negated = copy(proof);
  negated.pi_a[1] = negate(negated.pi_a[1]);
  yield ['A negated: on the curve, in the subgroup, wrong', negated];
  const swapped = copy(proof);
  swapped.pi_a = proof.pi_c;
  swapped.pi_c = proof.pi_a;
  yield ['A and C exchanged', swapped];
  const limbs = copy(proof);
  limbs.pi_b = [proof.pi_b[0].slice().reverse(), proof.pi_b[1].slice().reverse(), proof.pi_b[2]];
  yield ["B's Fp2 limbs exchanged", limbs];
  const big = copy(proof);
  big.pi_a[0] = (BigInt(big.pi_a[0]) + q[curve.name]).toString();
  yield ['a coordinate >= q', big];
  for (const key of ['pi_a', 'pi_b', 'pi_c']) {
    const infinite = copy(proof);
    infinite[key] = key === 'pi_b' ? [['0', '0'], ['1', '0'], ['0', '0']] : ['0', '1', '0'];
    yield [`${key} at infinity`, infinite];
  }
  yield ['B on the curve, out of the subgroup', { ...copy(proof), pi_b: G2_OUTSIDE[curve.name] }];
  yield ['A off the curve', { ...copy(proof), pi_a: ['1', '1', '1'] }];
  if (curve.name === 'bls12_381') {
    yield ['A of order 3', { ...copy(proof), pi_a: ['0', '2', '1'] }];
    yield ['C of order 3', { ...copy(proof), pi_c: ['0', '2', '1'] }];
  }
  const other = t.curves.find((one) => one.name !== curve.name);
  yield ['the other curve named', { ...copy(proof), curve: other.snarkjs }];
  yield ['another protocol named', { ...copy(proof), protocol: 'plonk' }];
}

/** [what, altered publics] */
function* alteredPublics(curve, publics) {
  for (let i = 0; i < publics.length; i += 1) {
    const altered = publics.slice();
    altered[i] = ((BigInt(publics[i]) ^ 1n) % curve.r).toString();
    yield [`one bit of public ${i}`, altered];
    const unreduced = publics.slice();
    unreduced[i] = (BigInt(publics[i]) + curve.r).toString();
    yield [`public ${i} plus r`, unreduced];
  }
  yield ['one public too many', publics.concat(['0'])];
  if (publics.length === 0) return;
  yield ['r itself', publics.map((value, i) => (i === 0 ? curve.r.toString() : value))];
  yield ['one public too few', publics.slice(0, -1)];
  yield ['no publics', []];
}

function refuses(label, vk, publics, proof) {
  const run = t.penstock('verify', vk, t.writeJson(t.temporary('altered_public.json'), publics),
    t.writeJson(t.temporary('altered_proof.json'), proof));
  const lines = run.text.trim().split('\n').length;
  t.check(`${label} is refused`, run.status === 1 && !/OK!/.test(run.text), `exit ${run.status}: ${run.text.trim()}`);
  t.check(`${label}: said in few words`, lines <= 2 && run.text.trim() !== '', run.text.slice(0, 300));
}

t.main(async () => {
  for (const curve of t.curves) {
    for (const circuit of t.circuits(curve).filter((one) => ['chain', 'square', 'unused', 'nopub', 'range64'].includes(one.name))) {
      const label = `${curve.name} ${circuit.name}`;
      const proof = t.readJson(circuit.proof);
      const publics = t.readJson(circuit.publics);
      t.succeeds(`${label}: the proof itself verifies`, 'verify', circuit.vk, circuit.publics, circuit.proof);
      for (const [what, altered] of alteredProofs(curve, proof)) refuses(`${label}, ${what}`, circuit.vk, publics, altered);
      for (const [what, altered] of alteredPublics(curve, publics)) refuses(`${label}, ${what}`, circuit.vk, altered, proof);
    }
  }
});
