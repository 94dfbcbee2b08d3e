// Larger circuits, compiled when the test runs: SHA-256 on both curves, Poseidon on BN254 (its constants are that
// curve's), and the demo's. Ours sets up and proves, snarkjs verifies; and the other way round.
'use strict';
const { execFileSync } = require('child_process');
const crypto = require('crypto');
const fs = require('fs');
const path = require('path');
const t = require('./support.js');

const library = path.join(process.env.NODE_PATH, 'circomlib', 'circuits');
const bits = (bytes) => [...bytes].flatMap((byte) => [7, 6, 5, 4, 3, 2, 1, 0].map((i) => (byte >> i) & 1));

/** Compiles a source text; {r1cs, wasm}. */
function compile(curve, name, text, ...flags) {
  const folder = t.temporary(`${name}_${curve.name}`);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, `${name}.circom`), text);
  // circom2 runs in a sandbox that sees the folder it is started in and below.
  fs.cpSync(library, path.join(folder, 'library'), { recursive: true });
  execFileSync('node', [path.join(process.env.NODE_PATH, 'circom2', 'cli.js'), `${name}.circom`, '-p', curve.snarkjs,
    '--r1cs', '--wasm', ...flags], { cwd: folder, stdio: 'pipe' });
  return { r1cs: path.join(folder, `${name}.r1cs`), wasm: path.join(folder, `${name}_js`, `${name}.wasm`) };
}

async function roundTrip(label, circuit, input, expected) {
  const [zkey, vk, proof, publics, wtns, inputFile] = ['zkey', 'vk.json', 'proof.json', 'public.json', 'wtns', 'in.json']
    .map((suffix) => t.temporary(`large.${suffix}`));
  t.writeJson(inputFile, input);
  if (!t.succeeds(`${label}: setup`, 'setup', circuit.r1cs, zkey, vk, '--insecure-dev')) return;
  if (t.succeeds(`${label}: fullprove`, 'fullprove', inputFile, circuit.wasm, zkey, proof, publics)) {
    t.check(`${label}: snarkjs accepts`, await t.snarkjsAccepts(vk, publics, proof));
    if (expected) t.check(`${label}: the publics are right`, expected(t.readJson(publics)));
  }
  await t.snarkjs.wtns.calculate(input, circuit.wasm, wtns);
  const ours = t.temporary('ours.wtns');
  if (t.succeeds(`${label}: witness`, 'witness', circuit.wasm, inputFile, ours))
    t.check(`${label}: the witness is snarkjs's, byte for byte`, fs.readFileSync(ours).equals(fs.readFileSync(wtns)));
  const made = await t.snarkjs.groth16.prove(zkey, wtns);
  t.succeeds(`${label}: we verify snarkjs's proof`, 'verify', vk,
    t.writeJson(publics, made.publicSignals), t.writeJson(proof, made.proof));
}

t.main(async () => {
  const message = crypto.createHash('sha512').update('penstock').digest().subarray(0, 55);
  const digest = bits(crypto.createHash('sha256').update(message).digest());
  for (const curve of t.curves) {
    const sha = compile(curve, 'hash', 'pragma circom 2.0.0; include "library/sha256/sha256.circom"; component main = Sha256(440);');
    await roundTrip(`${curve.name} sha256`, sha, { in: bits(message) }, (p) => p.join('') === digest.join(''));
    const demo = compile(curve, 'demo', fs.readFileSync(path.join(t.vectors, 'demo', 'demo.circom'), 'utf8'), '--O2');
    await roundTrip(`${curve.name} demo`, demo, t.readJson(path.join(t.vectors, 'demo', 'input2.json')));
  }
  const chain = compile(t.curves[0], 'permutations', `pragma circom 2.0.0; include "library/poseidon.circom";
    template Chain(n) { signal input in; signal output out; component h[n];
      for (var i = 0; i < n; i++) { h[i] = Poseidon(1); h[i].inputs[0] <== i == 0 ? in : h[i - 1].out; }
      out <== h[n - 1].out; }
    component main = Chain(20);`);
  await roundTrip('bn254 permutations', chain, { in: '12345678901234567890' });
});
