// Every well-formed circuit of tests/vectors, both curves, both directions: our proofs before snarkjs, its proofs
// before us, our development keys in its hands, and the calldata byte for byte.
'use strict';
const { execFileSync, spawnSync } = require('child_process');
const fs = require('fs');
const path = require('path');
const t = require('./support.js');

async function ourProofs(label, circuit) {
  const proof = t.temporary('proof.json');
  const publics = t.temporary('public.json');
  const expected = JSON.stringify(t.readJson(circuit.publics));
  const ways = { prove: [circuit.zkey, circuit.wtns], fullprove: [circuit.input, circuit.wasm, circuit.zkey] };
  for (const [verb, inputs] of Object.entries(ways)) {
    if (!t.succeeds(`${label}: penstock ${verb}`, verb, ...inputs, proof, publics)) continue;
    t.check(`${label}: snarkjs accepts what ${verb} made`, await t.snarkjsAccepts(circuit.vk, publics, proof));
    t.check(`${label}: ${verb} writes snarkjs's publics`, JSON.stringify(t.readJson(publics)) === expected);
    await calldata(`${label}, ${verb}`, publics, proof);
  }
}

async function theirProofs(label, circuit) {
  t.succeeds(`${label}: penstock verifies the stored proof`, 'verify', circuit.vk, circuit.publics, circuit.proof);
  const made = await t.snarkjs.groth16.prove(circuit.zkey, circuit.wtns);
  const proof = t.writeJson(t.temporary('theirs.json'), made.proof);
  const publics = t.writeJson(t.temporary('their_public.json'), made.publicSignals);
  t.succeeds(`${label}: penstock verifies a fresh snarkjs proof`, 'verify', circuit.vk, publics, proof);
  await calldata(`${label}, stored`, circuit.publics, circuit.proof, fs.readFileSync(circuit.calldata, 'utf8').trim());
}

async function calldata(label, publics, proof, stored) {
  const ours = t.penstock('export', 'calldata', publics, proof).stdout.trim();
  const theirs = await t.snarkjs.groth16.exportSolidityCallData(t.readJson(proof), t.readJson(publics));
  t.check(`${label}: calldata byte for byte`, ours === theirs, `ours ${ours.slice(0, 90)} theirs ${theirs.slice(0, 90)}`);
  if (stored !== undefined) t.check(`${label}: calldata as stored`, ours === stored);
}

async function ourKeys(label, circuit) {
  const zkey = t.temporary('dev.zkey');
  const vk = t.temporary('dev.vk.json');
  if (!t.succeeds(`${label}: penstock setup`, 'setup', circuit.r1cs, zkey, vk, '--insecure-dev')) return;
  const exported = await t.snarkjs.zKey.exportVerificationKey(zkey);
  const ours = t.readJson(vk);
  const same = Object.keys(exported).every((key) => JSON.stringify(exported[key]) === JSON.stringify(ours[key]));
  t.check(`${label}: snarkjs exports the same verification key from our key`, same);
  const made = await t.snarkjs.groth16.prove(zkey, circuit.wtns);
  t.check(`${label}: snarkjs proves and verifies with our key`,
    await t.snarkjs.groth16.verify(ours, made.publicSignals, made.proof));
  const proof = t.temporary('dev_proof.json');
  const publics = t.temporary('dev_public.json');
  if (t.succeeds(`${label}: penstock proves with our key`, 'prove', zkey, circuit.wtns, proof, publics)) {
    t.check(`${label}: snarkjs accepts it`, await t.snarkjsAccepts(vk, publics, proof));
    t.succeeds(`${label}: so do we`, 'verify', vk, publics, proof);
  }
}

/** The command lines themselves, once per curve: what a script of today runs. */
function commandLines(curve) {
  const circuit = t.circuits(curve).find((one) => one.name === 'square');
  const cli = path.join(process.env.NODE_PATH, '.bin', 'snarkjs');
  const proof = t.temporary('cli_proof.json');
  const publics = t.temporary('cli_public.json');
  t.succeeds(`${curve.name}: penstock groth16 prove`, 'groth16', 'prove', circuit.zkey, circuit.wtns, proof, publics);
  const theirs = spawnSync(cli, ['groth16', 'verify', circuit.vk, publics, proof], { encoding: 'utf8' });
  t.check(`${curve.name}: snarkjs groth16 verify says OK`, theirs.status === 0 && /OK!/.test(theirs.stdout));
  execFileSync(cli, ['groth16', 'prove', circuit.zkey, circuit.wtns, proof, publics]);
  const ours = t.penstock('groth16', 'verify', circuit.vk, publics, proof);
  t.check(`${curve.name}: penstock groth16 verify says OK!`, ours.status === 0 && /OK!/.test(ours.text));
}

t.main(async () => {
  for (const curve of t.curves) {
    for (const circuit of t.circuits(curve)) {
      const label = `${curve.name} ${circuit.name}`;
      await ourProofs(label, circuit);
      await theirProofs(label, circuit);
      await ourKeys(label, circuit);
    }
    commandLines(curve);
  }
});
