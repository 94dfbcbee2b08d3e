// What the cross-checks share: running penstock, snarkjs as a library, the list of circuits, the count.
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const path = require('path');
const snarkjs = require('snarkjs');

const scratch = process.env.PENSTOCK_SCRATCH;
const program = path.join(process.env.PENSTOCK_BIN_DIR, 'penstock');
const vectors = path.join(__dirname, '..', 'vectors');
const curves = [
  { name: 'bn254', snarkjs: 'bn128',
    r: 21888242871839275222246405745257275088548364400416034343698204186575808495617n },
  { name: 'bls12_381', snarkjs: 'bls12381',
    r: 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n },
];

let passed = 0;
let failed = 0;

/** Records one outcome; `detail` is shown when it failed. */
function check(name, holds, detail = '') {
  if (holds) passed += 1;
  else failed += 1;
  if (!holds) console.log(`not ok ${name}${detail ? `: ${detail}` : ''}`);
}

/** Runs penstock; {status, text (stdout and stderr)}. */
function penstock(...args) {
  const run = spawnSync(program, args.map(String), { encoding: 'utf8', timeout: 300000, maxBuffer: 1 << 28,
    env: { ...process.env, XDG_CACHE_HOME: path.join(scratch, 'cache') } });
  return { status: run.status, stdout: run.stdout || '', text: `${run.stdout || ''}${run.stderr || run.error || ''}` };
}

/** Runs penstock and records that it succeeded. */
function succeeds(name, ...args) {
  const run = penstock(...args);
  check(name, run.status === 0, `exit ${run.status}: ${run.text.trim().slice(0, 400)}`);
  return run.status === 0;
}

const readJson = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));
const writeJson = (file, value) => (fs.writeFileSync(file, JSON.stringify(value)), file);
const temporary = (name) => path.join(scratch, name);

/** The well-formed circuits of tests/vectors on one curve, as absolute file names. */
function circuits(curve) {
  const at = (...parts) => path.join(vectors, curve.name, ...parts);
  const flat = ['mul', 'chain', 'nopub', 'unused', 'square', 'linear'].map((name) => ({
    name, zkey: at(`${name}.zkey`), wtns: at(`${name}.wtns`), input: at(`${name}.in.json`), wasm: at(`${name}.wasm`),
    r1cs: at(`${name}.r1cs`), vk: at(`${name}.vk.json`), proof: at(`${name}.proof.json`),
    publics: at(`${name}.public.json`), calldata: at(`${name}.calldata`),
  }));
  const range = (file) => at('range64', file);
  return flat.concat([{ name: 'range64', zkey: range('circuit.zkey'), wtns: range('witness.wtns'),
    input: range('input.json'), wasm: range('circuit.wasm'), r1cs: range('circuit.r1cs'),
    vk: range('verification_key.json'), proof: range('proof.json'), publics: range('public.json'),
    calldata: range('calldata.txt') }]);
}

/** True when snarkjs accepts; its own exceptions count as a refusal. */
async function snarkjsAccepts(vk, publics, proof) {
  try {
    return await snarkjs.groth16.verify(readJson(vk), readJson(publics), readJson(proof));
  } catch (error) {
    console.log(`snarkjs: ${error.message}`);
    return false;
  }
}

/** Runs the script's body, prints the count as the last line, sets the exit status. */
async function main(body) {
  try {
    await body();
  } catch (error) {
    check('the script itself', false, error.stack);
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed || !passed ? 1 : 0);
}

module.exports = { check, circuits, curves, main, penstock, readJson, scratch, snarkjs, snarkjsAccepts, succeeds,
  temporary, vectors, writeJson };
