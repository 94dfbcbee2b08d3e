#!/usr/bin/env python3
"""Kill -9 of each service in mid-job, and of `penstock up` itself: jobs finish with verified proofs, nothing accepted
is lost or proved twice to the client, nothing is left behind. kills.py BIN_DIR

The circuit is the demo's: a proof takes a tenth of a second or more, so that a kill meets a job in its middle."""

import json
import lzma
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/support/cluster"))
from checks import check, finish  # noqa: E402
from cluster import Cluster, get, wait_until  # noqa: E402

DEMO = ROOT / "tests/vectors/demo"
PARTITIONS = 24


def alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1][0] != "Z"
    except OSError:
        return False


def submit_many(cluster):
    inputs = []
    for number in range(PARTITIONS):
        inputs += ["--input", DEMO / f"input{number % 3 + 1}.json"]
    return cluster.run("submit", "demo", *inputs).strip()


def job(cluster, job_id):
    try:
        return json.loads(get(f"http://{cluster.http}/v1/jobs/{job_id}"))
    except OSError:
        return None


def proofs(found):
    """{index: proof} of the partitions that are done."""
    return {p["index"]: p["proof"] for p in found["partitions"] if p["state"] == "done"}


def reach_the_middle(cluster, job_id, what):
    """The proofs that are there; some are not."""
    found = wait_until("mid-job", lambda: now if (now := job(cluster, job_id)) and proofs(now) else None, 120)
    check(f"{what}: the kill meets the job in its middle", len(proofs(found)) < PARTITIONS, found["state"])
    return proofs(found)


def finishes(cluster, folder, job_id, what, before):
    final = wait_until(f"{what}: the job ended", lambda: ended(cluster, job_id), 240)
    check(f"{what}: the job is done", final["state"] == "done", json.dumps(final)[:600])
    after = proofs(final)
    check(f"{what}: every partition has a proof", len(after) == PARTITIONS)
    check(f"{what}: what was proved is not proved again", all(after.get(index) == proof for index, proof in before.items()))
    out = folder / f"out-{what.replace(' ', '-')}"
    cluster.run("job", "show", job_id, "--out", out)
    right = [cluster.run("verify", folder / "demo.vk.json", out / f"public_{n}.json", out / f"proof_{n}.json", expect=None)
             for n in range(PARTITIONS)]
    check(f"{what}: every proof verifies", all(r.strip() == "OK!" for r in right), str(right))
    return final


def ended(cluster, job_id):
    now = job(cluster, job_id)
    return now if now and now["state"] in ("done", "failed", "cancelled") else None


def kill_in_mid_job(cluster, folder, name):
    job_id, what = submit_many(cluster), f"kill -9 of {name}"
    before = reach_the_middle(cluster, job_id, what)
    pid = cluster.service(name)["pid"]
    os.kill(pid, signal.SIGKILL)
    final = finishes(cluster, folder, job_id, what, before)
    if name.startswith("gpu"):  # its lanes were not empty
        check(f"{what}: what it held was tried again", any(p["attempts"] > 1 for p in final["partitions"]))
    wait_until(f"{name} is back", lambda: (cluster.service(name) or {"pid": pid})["pid"] != pid, 60)


def second_up(cluster, programs):
    done = subprocess.run([pathlib.Path(programs) / "penstock", "up", "--data", cluster.data, "--http", "127.0.0.1:0"],
                          capture_output=True, text=True, timeout=60, check=False)
    check("a second up on the same folder is refused", done.returncode == 1 and "error[conflict]" in done.stderr, done.stderr)
    check("it names the pid of the first", f"process {cluster.process.pid}" in done.stderr, done.stderr)


def up_is_killed(programs, folder):
    """Nothing stays behind; the same folder comes up again and has lost nothing."""
    with Cluster(programs, folder) as cluster:
        add_demo(cluster, folder)
        job_id = submit_many(cluster)
        before = reach_the_middle(cluster, job_id, "kill -9 of up")
        pids = [s["pid"] for s in cluster.services()]
        cluster.process.kill()
        cluster.process.wait()
        wait_until("all children ended", lambda: not any(alive(pid) for pid in pids), 90)
    with Cluster(programs, folder) as again:
        finishes(again, folder, job_id, "kill -9 of up", before)
        check("the circuit is still registered", "demo" in again.run("circuit", "list"))


def add_demo(cluster, folder):
    r1cs, key = folder / "demo.r1cs", folder / "demo.zkey"
    r1cs.write_bytes(lzma.decompress((DEMO / "bn254/demo.r1cs.xz").read_bytes()))
    cluster.run("setup", r1cs, key, folder / "demo.vk.json", "--insecure-dev")
    cluster.run("circuit", "add", "demo", "--zkey", key, "--wasm", DEMO / "bn254/demo.wasm", "--r1cs", r1cs)


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        with Cluster(sys.argv[1], folder) as cluster:
            add_demo(cluster, folder)
            second_up(cluster, sys.argv[1])
            for name in ("synthesis-1", "synthesis-2", "gpu-cpu", "queue"):
                kill_in_mid_job(cluster, folder, name)
            told = (folder / "up.log").read_text()
            check("up says what died and that it starts it again", told.count("starting it again") >= 4, told)
            pids = [s["pid"] for s in cluster.services()]
            check("penstock up stops cleanly", cluster.stop() == 0)
            check("no process is left", not any(alive(pid) for pid in pids))
        with Cluster(sys.argv[1], folder) as again:
            jobs = json.loads(again.run("job", "list", "--json"))["jobs"]
            check("a restart keeps the jobs", len(jobs) == 4 and all(j["state"] == "done" for j in jobs), str(jobs)[:600])
    with tempfile.TemporaryDirectory() as folder:
        up_is_killed(sys.argv[1], pathlib.Path(folder))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
