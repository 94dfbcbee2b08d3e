#!/usr/bin/env python3
"""Ten thousand partitions that wait at once: the memory of every process stays below its bound while they are worked off,
and the queue refuses what is beyond its own. backlog.py BIN_DIR [PARTITIONS]; a JSON line goes to results/backlog.jsonl."""

import json
import pathlib
import sys
import tempfile
import time

from soak import ROOT, commit, memory
from cluster import Cluster, get, wait_until

JOB = 1000  # partitions of one job, the queue's default limit is 1024
LIMIT = 10_000  # queue.max_queued_partitions
# Resident bytes while the backlog waits. A partition costs the queue its record; nobody else may know of it yet.
BOUNDS = {"queue": 192 << 20, "gpu-cpu": 320 << 20, "synthesis": 128 << 20}


def unfinished(cluster):
    depth = json.loads(get(f"http://{cluster.http}/v1/status"))["depth"]
    return sum(depth.values())


def bound_of(name):
    return next(bound for prefix, bound in BOUNDS.items() if name.startswith(prefix))


def main():
    partitions = int(sys.argv[2]) if len(sys.argv) > 2 else LIMIT
    at = ROOT / "tests/vectors/bn254"
    peaks, refused = {}, ""
    with tempfile.TemporaryDirectory() as folder, Cluster(sys.argv[1], folder) as cluster:
        cluster.run("circuit", "add", "mul", "--zkey", at / "mul.zkey", "--wasm", at / "mul.wasm", "--r1cs", at / "mul.r1cs")
        inputs = [part for _ in range(JOB) for part in ("--input", at / "mul.in.json")]

        def sample():
            for name, resident in memory(cluster).items():
                peaks[name] = max(peaks.get(name, 0), resident)
            return unfinished(cluster)

        started = time.monotonic()
        for _ in range(partitions // JOB):
            cluster.run("submit", "mul", *inputs)
            sample()
        submitted = time.monotonic() - started
        waiting = sample()
        if waiting > LIMIT - JOB:
            refused = cluster.run("submit", "mul", *inputs, "--json", expect=None)
        wait_until("the backlog is worked off", lambda: sample() == 0, 3600)
        spent = time.monotonic() - started
    for name, peak in sorted(peaks.items()):
        print(f"{name}: at most {peak / 2**20:.1f} MiB, bound {bound_of(name) / 2**20:.0f} MiB")
    bounded = all(peak <= bound_of(name) for name, peak in peaks.items())
    print(f"{partitions} partitions, submitted in {submitted:.1f} s, {waiting} waited at once, {spent:.0f} s in all; {'a further job was refused' if 'overloaded' in refused else ''}")
    line = {"date": time.strftime("%Y-%m-%d", time.gmtime()), "commit": commit(), "device": "cpu", "bench": "backlog",
            "curve": "bn254", "log2": 2, "partitions": partitions, "waited_at_once": waiting, "submit_seconds": round(submitted, 1), "seconds": round(spent, 1), "refused_beyond": "overloaded" in refused,
            "peak_bytes": peaks, "check": "bounded" if bounded else "NOT BOUNDED"}
    with (ROOT / "tests/bench/results/backlog.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    print(f"{int(bounded)} passed, {int(not bounded)} failed")
    return 0 if bounded else 1


if __name__ == "__main__":
    sys.exit(main())
