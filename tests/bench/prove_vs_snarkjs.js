// `penstock prove` against `snarkjs groth16 prove` on a circuit of about 2^15 constraints: wall time of the whole
// command on the same cores, start-up included, runs interleaved. bash tests/bench/prove_vs_snarkjs BIN_DIR
// A third argument such as bn254/demo runs that pair alone.
// Two circuits: `demo`, the demo's circuit with more leaves (bits and full-width values), and `chain`, x^2 + c
// (every wire full-width: the hardest case). One JSON line each goes to tests/bench/results/.
'use strict';
const { execFileSync, spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const [binary, runs] = [path.join(process.argv[2], 'penstock'), Number(process.argv[3] || 3)];
const modules = process.env.NODE_PATH;
const root = path.join(__dirname, '..', '..');
const scratch = process.env.PENSTOCK_SCRATCH;
const peer = ['node', path.join(modules, 'snarkjs', 'build', 'cli.cjs'), 'groth16'];

const demo = () => fs.readFileSync(path.join(root, 'tests/vectors/demo/demo.circom'), 'utf8')
  .replace('Demo(24, 32)', 'Demo(90, 32)');
const chain = () => `pragma circom 2.1.0;
template Chain(n) { signal input x; signal input c; signal output y; signal s[n + 1]; s[0] <== x;
  for (var i = 0; i < n; i++) { s[i + 1] <== s[i] * s[i] + c; } y <== s[n]; }
component main {public [c]} = Chain(32000);`;
const variants = {
  demo: { source: demo, input: { limit: '1000000000000', salt: '9'.repeat(70), amount: Array.from({ length: 90 }, (_, i) => `${i * 7919}`) } },
  chain: { source: chain, input: { x: '3', c: '11' } },
};

/** Compiles, makes our development key and snarkjs's witness; the files by name. */
function prepare(variant, curve) {
  const folder = fs.mkdtempSync(path.join(scratch, variant));
  fs.writeFileSync(path.join(folder, 'c.circom'), variants[variant].source());
  execFileSync('node', [path.join(modules, 'circom2', 'cli.js'), 'c.circom', '-p', curve, '--O2', '--r1cs', '--wasm'],
    { cwd: folder, stdio: 'pipe' });
  const at = (name) => path.join(folder, name);
  fs.writeFileSync(at('in.json'), JSON.stringify(variants[variant].input));
  execFileSync(binary, ['setup', at('c.r1cs'), at('c.zkey'), at('vk.json'), '--insecure-dev'], { stdio: 'pipe' });
  execFileSync('node', [at('c_js/generate_witness.js'), at('c_js/c.wasm'), at('in.json'), at('w.wtns')], { stdio: 'pipe' });
  const size = fs.readFileSync(at('c.zkey'));
  return { zkey: at('c.zkey'), wtns: at('w.wtns'), vk: at('vk.json'), proof: at('proof.json'), publics: at('public.json'),
    log2: domainLog2(size) };
}

/** log2 of the domain, from section 2 of the key. */
function domainLog2(key) {
  for (let at = 12; at < key.length;) {
    const size = Number(key.readBigUInt64LE(at + 4));
    if (key.readUInt32LE(at) === 2) {
      const q = key.readUInt32LE(at + 12);
      const r = key.readUInt32LE(at + 16 + q);
      return Math.log2(key.readUInt32LE(at + 12 + 4 + q + 4 + r + 8));
    }
    at += 12 + size;
  }
  throw new Error('no section 2');
}

function timed(command, circuit) {
  const started = process.hrtime.bigint();
  const run = spawnSync(command[0], command.slice(1).concat(['prove', circuit.zkey, circuit.wtns, circuit.proof, circuit.publics]),
    { encoding: 'utf8' });
  const spent = Number(process.hrtime.bigint() - started) / 1e6;
  if (run.status !== 0) throw new Error(`${command.join(' ')}: ${run.stderr || run.stdout}`);
  return spent;
}

/** True when the proof just made verifies by the other's program. */
function verifies(command, circuit) {
  return spawnSync(command[0], command.slice(1).concat(['verify', circuit.vk, circuit.publics, circuit.proof]))
    .status === 0;
}

const median = (times) => times.slice().sort((a, b) => a - b)[Math.floor(times.length / 2)];

function record(curve, variant, circuit, who, times, check) {
  const line = { date: new Date().toISOString(), commit: execFileSync('git', ['-C', root, 'rev-parse', '--short', 'HEAD'],
    { encoding: 'utf8' }).trim(), device: `${os.cpus().length} x ${os.cpus()[0].model}`, bench: 'prove_vs_snarkjs', curve,
  log2: circuit.log2, variant: `${variant} ${who}`, ms: Math.round(median(times)), min_ms: Math.round(Math.min(...times)),
  runs: times.length, check };
  const file = path.join(root, 'tests/bench/results/prove_vs_snarkjs.jsonl');
  fs.appendFileSync(file, `${JSON.stringify(line)}\n`);
  return line.ms;
}

const only = process.argv[4] || '';
let slow = 0;
let done = 0;
for (const [curve, name] of [['bn128', 'bn254'], ['bls12381', 'bls12_381']]) {
  for (const variant of Object.keys(variants).filter((v) => `${name}/${v}`.startsWith(only))) {
    done += 1;
    const circuit = prepare(variant, curve);
    const times = { ours: [], theirs: [] };
    const checks = { ours: true, theirs: true };
    for (let i = 0; i < runs; i += 1) {
      times.ours.push(timed([binary], circuit));
      checks.ours = checks.ours && verifies(peer, circuit);
      times.theirs.push(timed(peer, circuit));
      checks.theirs = checks.theirs && verifies([binary], circuit);
    }
    const ours = record(name, variant, circuit, 'penstock', times.ours, checks.ours ? 'snarkjs verifies' : 'INVALID');
    const theirs = record(name, variant, circuit, 'snarkjs', times.theirs, checks.theirs ? 'penstock verifies' : 'INVALID');
    const ratio = theirs / ours;
    console.log(`${name} ${variant} 2^${circuit.log2}: penstock ${ours} ms, snarkjs ${theirs} ms, ${ratio.toFixed(1)} times`);
    if (ratio < 10 || !checks.ours || !checks.theirs) slow += 1;
  }
}
console.log(`${done - slow} passed, ${slow} failed`);
process.exit(slow || !done ? 1 : 0);
