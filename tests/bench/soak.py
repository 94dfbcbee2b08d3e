#!/usr/bin/env python3
"""A thousand proofs of `mul` through a cluster of real processes: throughput, and memory that stays flat after the
hundredth. soak.py BIN_DIR [PROOFS]; a JSON line goes to results/soak.jsonl."""

import datetime
import json
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support/cluster"))
from cluster import Cluster  # noqa: E402

BATCH = 50
# What may be added between the hundredth proof and the last, per process: allocator noise, not growth per proof.
SLACK_BYTES = 8 << 20


def resident_bytes(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def memory(cluster):
    return {s["name"]: resident_bytes(s["pid"]) for s in cluster.services()}


def commit():
    return subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                          check=False).stdout.strip()


def main():
    proofs = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    at = ROOT / "tests/vectors/bn254"
    with tempfile.TemporaryDirectory() as folder, Cluster(sys.argv[1], folder) as cluster:
        cluster.run("circuit", "add", "mul", "--zkey", at / "mul.zkey", "--wasm", at / "mul.wasm", "--r1cs", at / "mul.r1cs")
        inputs = [part for _ in range(BATCH) for part in ("--input", at / "mul.in.json")]
        samples, started, after_hundred, batches = [], time.monotonic(), None, []
        for done in range(BATCH, proofs + 1, BATCH):
            begun = time.monotonic()
            cluster.run("submit", "mul", *inputs, "--wait")
            batches.append(1000 * (time.monotonic() - begun) / BATCH)
            samples.append((done, memory(cluster)))
            if done == 100:
                after_hundred = samples[-1][1]
        spent = time.monotonic() - started
        last = samples[-1][1]
        growth = {name: last[name] - after_hundred.get(name, 0) for name in last}
    for name, grown in sorted(growth.items()):
        print(f"{name}: {last[name] / 2**20:.1f} MiB, {grown / 2**20:+.1f} MiB since the hundredth proof")
    flat = all(grown <= SLACK_BYTES for grown in growth.values())
    batches.sort()
    line = {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "commit": commit(),
            "device": "cpu", "bench": "soak", "curve": "bn254", "log2": 2, "variant": "mul through the cluster",
            "ms": round(batches[len(batches) // 2], 2), "min_ms": round(batches[0], 2), "runs": proofs,
            "check": "memory flat" if flat else "MEMORY GREW", "proofs_per_second": round(proofs / spent, 2),
            "rss_bytes": last, "growth_bytes": growth}
    results = ROOT / "tests/bench/results/soak.jsonl"
    results.parent.mkdir(exist_ok=True)
    with results.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    print(f"{proofs} proofs in {spent:.1f} s: {proofs / spent:.1f} proofs/s; memory {'flat' if flat else 'GREW'}")
    print(f"{int(flat)} passed, {int(not flat)} failed")
    return 0 if flat else 1


if __name__ == "__main__":
    sys.exit(main())
