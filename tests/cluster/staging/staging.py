#!/usr/bin/env python3
"""An arena too small for a circuit, one with room for two partitions, one whose file is removed; a second service for
the same arena; `explain` on a running cluster; a new `up` that meets the services of a killed one. staging.py BIN_DIR"""

import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/support/cluster"))
from checks import check, finish  # noqa: E402
from cluster import Cluster, wait_until  # noqa: E402

AT = ROOT / "tests/vectors/bn254"
PARTITIONS = 12


def arena_of(pid):
    words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
    return pathlib.Path(words[words.index("--arena") + 1])


def add(cluster, name):
    cluster.run("circuit", "add", name, "--zkey", AT / f"{name}.zkey", "--wasm", AT / f"{name}.wasm", "--r1cs", AT / f"{name}.r1cs")


def backlog():
    return [part for _ in range(PARTITIONS) for part in ("--input", AT / "mul.in.json")]


def penstock(cluster, *arguments):
    return subprocess.run([cluster.program, *map(str, arguments), "--url", f"http://{cluster.http}"], capture_output=True,
                          text=True, timeout=120, check=False)


def small_arena(cluster):
    """8 KiB: two slabs of 4 KiB, and no room for the 303 wires of `chain`."""
    add(cluster, "mul")
    add(cluster, "chain")
    done = cluster.run("submit", "mul", *backlog(), "--wait")
    check("a backlog passes through two slabs", "done" in done, done)
    refused = penstock(cluster, "submit", "chain", "--input", AT / "chain.in.json")
    check("a partition larger than the arena is refused at admission", refused.returncode == 1, refused.stdout)
    check("... by name", "error[body_too_large]" in refused.stderr and "arena" in refused.stderr, refused.stderr)


def second_service(cluster, programs):
    first = cluster.service()["pid"]
    done = subprocess.run([pathlib.Path(programs) / "penstock-gpu", "--device", "cpu", "--name", "second", "--arena", arena_of(first),
                           "--bind", "tcp://127.0.0.1:0", "--metrics", "127.0.0.1:0"],
                          capture_output=True, text=True, timeout=60, check=False)
    check("a second service for one arena is refused", done.returncode == 1 and "error[conflict]" in done.stderr, done.stderr)
    check("... and told the first's pid", f"process {first}" in done.stderr, done.stderr)


def explained(cluster):
    told = cluster.run("explain", "--seconds", "0.5")
    check("explain tells of the device", "device cpu busy" in told, told)
    answer = json.loads(cluster.run("explain", "--seconds", "0.5", "--json"))
    check("explain --json has a verdict", answer["devices"][0]["verdict"] == "no_partition", str(answer))
    check("shares add up", abs(sum(answer["devices"][0]["idle"].values()) + answer["devices"][0]["busy_ratio"] - 1) < 1e-6)


def arena_removed(cluster):
    before = cluster.service()["pid"]
    job_id = cluster.run("submit", "mul", *backlog()).strip()
    arena_of(before).unlink()
    wait_until("the service is started again", lambda: (cluster.service() or {"pid": before})["pid"] != before, 90)
    final = wait_until("the job ended", lambda: ended(cluster, job_id), 120)
    check("a job outlives its arena's file", final["state"] == "done", json.dumps(final)[:600])
    check("there is an arena again", arena_of(cluster.service()["pid"]).exists())


def ended(cluster, job_id):
    now = json.loads(cluster.run("job", "show", job_id, "--json"))
    return now if now["state"] in ("done", "failed", "cancelled") else None


def meets_its_past(programs, folder):
    with Cluster(programs, folder) as first:
        add(first, "mul")
        job_id = first.run("submit", "mul", *backlog()).strip()
        first.process.kill()
        first.process.wait()
        # No wait: its services are still draining and hold arena, ledger and addresses.
        with Cluster(programs, folder) as second:
            final = wait_until("the job ended", lambda: ended(second, job_id), 120)
            check("the killed cluster's job is finished by the next", final["state"] == "done", json.dumps(final)[:600])
            told = (folder / "up.log").read_text()
            check("no service fails on what the old ones still hold", "exited with status" not in told, told)


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        with Cluster(sys.argv[1], folder, up=["--arena", "8KiB"]) as cluster:
            small_arena(cluster)
            second_service(cluster, sys.argv[1])
            explained(cluster)
            arena_removed(cluster)
            arena = arena_of(cluster.service()["pid"])
            check("penstock up stops cleanly", cluster.stop() == 0)
            left = [p for p in (arena, pathlib.Path(f"{arena}.lock")) if p.exists()]
            check("neither arena nor lock stays behind", not left, str(left))
            left = [p.name for p in (cluster.data / "run").iterdir()]
            check("the run folder is empty", not left, str(left))
    with tempfile.TemporaryDirectory() as folder:
        meets_its_past(sys.argv[1], pathlib.Path(folder))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
