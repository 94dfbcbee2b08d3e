#!/usr/bin/env python3
"""Every f_* and customgate file behaves as the table of tests/vectors/README.md says, on both curves, through the
command line (exit 1, one line with the code, within a second, no proof file) and through the API (the code, the right
status, every process alive afterwards). malformed.py BIN_DIR"""

import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/support/cluster"))
from checks import check, finish  # noqa: E402
from cluster import Cluster, get, wait_until  # noqa: E402

VECTORS = ROOT / "tests" / "vectors"
CURVES = ("bn254", "bls12_381")
ROW = re.compile(r"^\| (f_\w+\.(?:wtns|zkey)) \| (.*?) \| .*? \| (.*?) \|$", re.M)
# An answer comes within a second. Where other work shares the cores the processor time counts, but nothing hangs.
SECONDS, HANGS = 1.0, 10.0


def table():
    """(file, [codes that are right]; none: the file is valid)."""
    for name, what, codes in ROW.findall((VECTORS / "README.md").read_text()):
        yield name, [] if what.startswith("VALID") else codes.strip().split(" or ")


def timed(program, *arguments):
    """(exit status, stderr, wall seconds, processor seconds)"""
    started, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=60,
                          stdin=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.returncode, done.stderr, time.monotonic() - started, processor


def refused(name, outcome, codes):
    status, errors, wall, processor = outcome
    code = re.search(r"error\[(\w+)\]", errors)
    check(f"{name}: exit 1", status == 1, f"exit {status}: {errors[:300]}")
    check(f"{name}: one line", len(errors.strip().splitlines()) == 1, errors[:300])
    check(f"{name}: the code", code and code.group(1) in codes, f"wanted {codes}: {errors[:300]}")
    check(f"{name}: within a second", min(wall, processor) <= SECONDS and wall <= HANGS, f"{wall:.2f} s, {processor:.2f} s CPU")


def through_the_command_line(program, folder):
    for curve in CURVES:
        at = VECTORS / curve
        for file, codes in table():
            key, witness = (at / file, at / "chain.wtns") if file.endswith("zkey") else (at / "chain.zkey", at / file)
            proof, publics = folder / "proof.json", folder / "public.json"
            outcome = timed(program, "prove", key, witness, proof, publics)
            name = f"prove, {curve} {file}"
            if codes:
                refused(name, outcome, codes)
                check(f"{name}: no proof file", not proof.exists() and not publics.exists())
            else:
                check(f"{name}: proves", outcome[0] == 0, outcome[1])
                check(f"{name}: verifies", timed(program, "verify", at / "chain.vk.json", publics, proof)[0] == 0)
            proof.unlink(missing_ok=True)
            publics.unlink(missing_ok=True)
        gates = at / "customgate.r1cs"
        refused(f"info, {curve} customgate", timed(program, "info", gates), ["custom_gates"])
        refused(f"setup, {curve} customgate", timed(program, "setup", gates, folder / "k.zkey", folder / "v.json",
                                                    "--insecure-dev"), ["custom_gates"])
        check(f"setup, {curve} customgate: no key", not (folder / "k.zkey").exists())


def multipart(method, url, parts):
    """parts: [(name, file name or None, bytes)]; (status, JSON)."""
    boundary = uuid.uuid4().hex
    body = b""
    for name, file, content in parts:
        kind = f'; filename="{file}"' if file else ""
        body += f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"{kind}\r\n\r\n'.encode() + content + b"\r\n"
    body += f"--{boundary}--\r\n".encode()
    request = urllib.request.Request(url, data=body, method=method,
                                     headers={"Content-Type": f"multipart/form-data; boundary={boundary}"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.loads(answer.read() or b"{}")
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"{}")


def put_circuit(cluster, name, **files):
    parts = [(part, file.name, file.read_bytes()) for part, file in files.items()]
    return multipart("PUT", f"http://{cluster.http}/v1/circuits/{name}", parts)


def submit_witness(cluster, circuit, file):
    """(status of the POST, error code or None, state) once the job has ended."""
    status, answer = multipart("POST", f"http://{cluster.http}/v1/jobs",
                               [("job", None, json.dumps({"circuit": circuit}).encode()),
                                ("witness", file.name, file.read_bytes())])
    if status != 202:
        return status, answer.get("code"), "refused"
    job = wait_until("the job ended", lambda: ended(cluster, answer["id"]))
    error = job["partitions"][0].get("error") or {}
    return status, error.get("code"), job["state"]


def ended(cluster, job_id):
    job = json.loads(get(f"http://{cluster.http}/v1/jobs/{job_id}?wait=10s", timeout=30))
    return job if job["state"] in ("done", "failed", "cancelled") else None


def through_the_api(cluster):
    for curve in CURVES:
        at = VECTORS / curve
        status, answer = put_circuit(cluster, f"chain-{curve}", zkey=at / "chain.zkey", wasm=at / "chain.wasm",
                                     vk=at / "chain.vk.json")
        check(f"api, {curve} chain is registered", status in (200, 201), f"{status} {answer}")
        for file, codes in table():
            if file.endswith("zkey"):
                api_key(cluster, curve, at / file, codes)
            else:
                api_witness(cluster, curve, at / file, codes)
        status, answer = put_circuit(cluster, f"gates-{curve}", zkey=at / "chain.zkey", r1cs=at / "customgate.r1cs")
        check(f"api, {curve} customgate", status == 400 and answer.get("code") == "custom_gates", f"{status} {answer}")
    names = {c["name"] for c in json.loads(get(f"http://{cluster.http}/v1/circuits")).get("circuits", [])}
    check("api: nothing refused was registered", not any(n.startswith(("f_", "gates")) and "reversed" not in n for n in names),
          str(names))


def api_key(cluster, curve, file, codes):
    name = f"{file.stem}-{curve}"
    status, answer = put_circuit(cluster, name, zkey=file)
    if codes:
        check(f"api, {curve} {file.name}", status == 400 and answer.get("code") in codes, f"{status} {answer}")
        return
    check(f"api, {curve} {file.name} is valid", status in (200, 201), f"{status} {answer}")
    outcome = submit_witness(cluster, name, file.parent / "chain.wtns")
    check(f"api, {curve} {file.name} proves", outcome[2] == "done", str(outcome))


def api_witness(cluster, curve, file, codes):
    status, code, state = submit_witness(cluster, f"chain-{curve}", file)
    if codes:
        # Only a witness that can be read is accepted; what is wrong with it is found when it is proved.
        wanted = (202, "failed") if codes == ["witness_unsatisfied"] else (400, "refused")
        right = (status, state) == wanted and code in codes
        check(f"api, {curve} {file.name}", right, f"{status} {code} {state}, wanted {codes}")
    else:
        check(f"api, {curve} {file.name} proves", state == "done", f"{status} {code} {state}")


def main():
    program = pathlib.Path(sys.argv[1]) / "penstock"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        timed(program, "prove", VECTORS / "bn254/chain.zkey", VECTORS / "bn254/chain.wtns", folder / "a", folder / "b")
        through_the_command_line(program, folder)
        with Cluster(sys.argv[1], folder, synthesis=1) as cluster:
            before = {s["name"]: s["pid"] for s in cluster.services()}
            through_the_api(cluster)
            after = {s["name"]: s["pid"] for s in cluster.services()}
            check("every process lives on", before == after, f"{before} {after}")
            check("penstock up stops cleanly", cluster.stop() == 0)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
