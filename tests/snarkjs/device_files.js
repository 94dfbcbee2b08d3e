// What tests/gpu/device.sh brought back (files.tar, unpacked): keys, proofs and verification keys made on a GPU,
// in snarkjs's hands and in ours. By hand, where there is no device:
//   PENSTOCK_DEVICE_FILES=FOLDER tests/snarkjs/run.sh BIN_DIR device_files.js
'use strict';
const path = require('path');
const t = require('./support.js');

const at = (curve, file) => path.join(process.env.PENSTOCK_DEVICE_FILES, curve.name, file);

t.main(async () => {
  for (const curve of t.curves) {
    for (const circuit of t.circuits(curve)) {
      const label = `${curve.name} ${circuit.name}`;
      const proof = at(curve, `${circuit.name}.proof.json`);
      const publics = at(curve, `${circuit.name}.public.json`);
      t.check(`${label}: snarkjs accepts the device's proof`, await t.snarkjsAccepts(circuit.vk, publics, proof));
      t.succeeds(`${label}: so do we`, 'verify', circuit.vk, publics, proof);
      t.check(`${label}: the publics are snarkjs's`,
        JSON.stringify(t.readJson(publics)) === JSON.stringify(t.readJson(circuit.publics)));
    }
    const chain = t.circuits(curve).find((one) => one.name === 'chain');
    const zkey = at(curve, 'dev.zkey');
    const vk = at(curve, 'dev.vk.json');
    const exported = await t.snarkjs.zKey.exportVerificationKey(zkey);
    const ours = t.readJson(vk);
    t.check(`${curve.name}: snarkjs exports the device key's verification key`,
      Object.keys(exported).every((key) => JSON.stringify(exported[key]) === JSON.stringify(ours[key])));
    t.check(`${curve.name}: snarkjs accepts the device's proof with the device's key`,
      await t.snarkjsAccepts(vk, at(curve, 'dev.public.json'), at(curve, 'dev.proof.json')));
    const made = await t.snarkjs.groth16.prove(zkey, chain.wtns);
    t.check(`${curve.name}: snarkjs proves with the device's key`,
      await t.snarkjs.groth16.verify(ours, made.publicSignals, made.proof));
    const proof = t.temporary('host.proof.json');
    const publics = t.temporary('host.public.json');
    t.succeeds(`${curve.name}: the host proves with the device's key`, 'prove', zkey, chain.wtns, proof, publics);
    t.check(`${curve.name}: snarkjs accepts that`, await t.snarkjsAccepts(vk, publics, proof));
  }
});
