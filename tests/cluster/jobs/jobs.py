#!/usr/bin/env python3
"""Jobs through real processes: every circuit of tests/vectors on both curves, fifty jobs at once each with its own
publics, a broken constraint named, a cancelled job, an idempotent one. jobs.py BIN_DIR"""

import json
import pathlib
import re
import sys
import tempfile
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/support/cluster"))
from checks import check, finish  # noqa: E402
from cluster import Cluster, get, wait_until  # noqa: E402

VECTORS = ROOT / "tests" / "vectors"
CURVES = ("bn254", "bls12_381")
CIRCUITS = ("mul", "chain", "nopub", "unused", "square", "linear")

# What each service emits on the host device. Without a retry there is no sample of retries_total.
EMITTED = {
    "queue": ("jobs_total", "job_duration_seconds", "phase_duration_seconds", "partitions_total", "queue_depth",
              "queue_oldest_age_seconds", "backlog_seconds", "rejected_total", "workers", "credits", "build_info"),
    "synthesis": ("phase_duration_seconds", "build_info"),
    "gpu": ("phase_duration_seconds", "partitions_total", "gpu_busy_seconds_total", "gpu_idle_seconds_total", "h2d_bytes_total",
            "slabs", "arena_bytes", "device_memory_bytes", "circuit_loads_total", "circuit_evictions_total",
            "self_verify_failures_total", "build_info"),
}


def register(cluster, curve, circuit):
    at, name = VECTORS / curve, f"{circuit}-{curve}"
    cluster.run("circuit", "add", name, "--zkey", at / f"{circuit}.zkey", "--wasm", at / f"{circuit}.wasm",
                "--r1cs", at / f"{circuit}.r1cs", "--sym", at / f"{circuit}.sym", "--vk", at / f"{circuit}.vk.json")
    return name


def every_circuit(cluster, folder):
    for curve in CURVES:
        for circuit in CIRCUITS:
            name, at = register(cluster, curve, circuit), VECTORS / curve
            out = folder / name
            cluster.run("submit", name, "--input", at / f"{circuit}.in.json", "--out", out)
            given = json.loads((at / f"{circuit}.public.json").read_text())
            check(f"{name}: the publics", json.loads((out / "public.json").read_text()) == given)
            verdict = cluster.run("verify", at / f"{circuit}.vk.json", out / "public.json", out / "proof.json")
            check(f"{name}: verifies", verdict.strip() == "OK!", verdict)
            cluster.run("submit", name, "--witness", at / f"{circuit}.wtns", "--wait")


def one_of_fifty(cluster, folder, number):
    file, out = folder / f"in{number}.json", folder / f"out{number}"
    file.write_text(json.dumps({"a": str(number + 2), "b": "7"}))
    cluster.run("submit", "mul-bn254", "--input", file, "--out", out)
    publics = json.loads((out / "public.json").read_text())
    verdict = cluster.run("verify", VECTORS / "bn254/mul.vk.json", out / "public.json", out / "proof.json")
    return publics == [str((number + 2) * 7)] and verdict.strip() == "OK!"


def fifty_at_once(cluster, folder):
    with ThreadPoolExecutor(50) as pool:
        right = list(pool.map(lambda number: one_of_fifty(cluster, folder, number), range(50)))
    check("fifty jobs at once, each with its own publics", all(right), str(right))


def one_job_of_many(cluster, folder):
    inputs = []
    for number in range(20):
        file = folder / f"many{number}.json"
        file.write_text(json.dumps({"a": str(number), "b": "3"}))
        inputs += ["--input", file]
    out = folder / "many"
    cluster.run("submit", "mul-bls12_381", *inputs, "--out", out)
    publics = [json.loads((out / f"public_{n}.json").read_text()) for n in range(20)]
    check("one job, twenty partitions, in order", publics == [[str(3 * n)] for n in range(20)], str(publics))


def broken_constraint(cluster):
    before = device_counters(cluster)
    for curve in CURVES:
        wrong = VECTORS / curve / "f_wrongwire.wtns"
        answer = json.loads(cluster.run("submit", f"chain-{curve}", "--witness", wrong, "--wait", "--json", expect=1))
        error = answer["error"]
        check(f"{curve}: witness_unsatisfied", error["code"] == "witness_unsatisfied", str(answer))
        check(f"{curve}: the constraint and signals are named",
              re.search(r"constraint \d+", error["message"]) and "main." in error["message"] + error.get("hint", ""), str(error))
    # Without its r1cs only the prover notices.
    at = VECTORS / "bn254"
    cluster.run("circuit", "add", "bare", "--zkey", at / "chain.zkey")
    answer = json.loads(cluster.run("submit", "bare", "--witness", at / "f_wrongwire.wtns", "--wait", "--json", expect=1))
    check("without an r1cs: witness_unsatisfied", answer["error"]["code"] == "witness_unsatisfied", str(answer))
    check("there is a device counter", any(before.values()), str(before))
    check("no device counter moved", device_counters(cluster) == before)


def ask(cluster, method, path, parts=(), headers=()):
    """(status, JSON) of one request; `parts` are (name, content) of a multipart body."""
    boundary = "penstock-jobs"
    body = b"".join(f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'.encode()
                    + (content if isinstance(content, bytes) else content.encode()) + b"\r\n" for name, content in parts)
    request = urllib.request.Request(f"http://{cluster.http}{path}", method=method, headers=dict(headers))
    if parts:
        request.data = body + f"--{boundary}--\r\n".encode()
        request.add_header("Content-Type", f"multipart/form-data; boundary={boundary}")
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as refusal:
        return refusal.code, json.loads(refusal.read())


def device_counters(cluster):
    found = {}
    for service in cluster.services():
        if service["kind"] == "gpu":
            text = get(f"http://{service['metrics']}/metrics")
            found[service["name"]] = re.findall(r"penstock_self_verify_failures_total\S* (\S+)", text)
    return found


def once_per_key(cluster):
    file = VECTORS / "bn254/mul.in.json"
    first = cluster.run("submit", "mul-bn254", "--input", file, "--key", "order-1").strip()
    second = cluster.run("submit", "mul-bn254", "--input", file, "--key", "order-1").strip()
    check("one job per idempotency key", first == second and first, f"{first} {second}")
    answer = json.loads(cluster.run("submit", "mul-bls12_381", "--input", file, "--key", "order-1", "--json", expect=1))
    check("a key used for another job is a conflict", answer["error"]["code"] == "conflict", str(answer))
    parts = [("job", '{"circuit": "mul-bls12_381"}'), ("input", file.read_text())]
    status, answer = ask(cluster, "POST", "/v1/jobs", parts, [("Idempotency-Key", "order-1")])
    check("and 409", (status, answer["code"]) == (409, "conflict"), f"{status} {answer}")


def refusals(cluster, folder):
    (folder / "MISSING").write_text('{"a": "1"}')
    (folder / "SURPLUS").write_text('{"a": "1", "b": "2", "c": "3"}')
    fine, foreign = VECTORS / "bn254/mul.in.json", VECTORS / "bls12_381/mul.wtns"
    for what, circuit, kind, file, code, refused in (
            ("unknown circuit", "stranger", "input", fine, "circuit_unknown", 404),
            ("wrong curve", "mul-bn254", "witness", foreign, "curve_mismatch", 400),
            ("missing signal", "mul-bn254", "input", folder / "MISSING", "signal_missing", None),
            ("surplus signal", "mul-bn254", "input", folder / "SURPLUS", "signal_surplus", None)):
        answer = json.loads(cluster.run("submit", circuit, f"--{kind}", file, "--wait", "--json", expect=1))
        check(what, answer["error"]["code"] == code, str(answer))
        parts = [("job", json.dumps({"circuit": circuit})), (kind, file.read_bytes())]
        status, answer = ask(cluster, "POST", "/v1/jobs", parts)
        if refused:
            check(f"{what}: at once", (status, answer.get("code")) == (refused, code), f"{status} {answer}")
            continue
        # Only the worker can know: the job is accepted, fails, and stays to be looked at.
        check(f"{what}: accepted", status == 202, f"{status} {answer}")
        status, job = ask(cluster, "GET", f"/v1/jobs/{answer['id']}?wait=60s")
        partition = job["partitions"][0]
        check(f"{what}: the job failed", (status, job["state"], partition["state"]) == (200, "failed", "failed"), str(job))
        check(f"{what}: its error", (partition["error"]["code"], partition["attempts"]) == (code, 1), str(job))
        status, answer = ask(cluster, "DELETE", f"/v1/jobs/{job['id']}")
        check(f"{what}: nothing is left to cancel", (status, answer["code"]) == (409, "conflict"), f"{status} {answer}")


def metrics(cluster):
    """Every name of the table that applies has a sample, not just its HELP line."""
    for service in cluster.services():
        text = get(f"http://{service['metrics'] or service['http']}/metrics")
        for name in EMITTED[service["kind"]]:
            sample = re.search(rf"^penstock_{name}(_count)?(\{{.*\}})? [0-9]", text, re.M)
            check(f"{service['name']} emits {name}", sample is not None)


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        with Cluster(sys.argv[1], folder) as cluster:
            every_circuit(cluster, folder)
            fifty_at_once(cluster, folder)
            one_job_of_many(cluster, folder)
            broken_constraint(cluster)
            once_per_key(cluster)
            refusals(cluster, folder)
            metrics(cluster)
            wait_until("the queue is idle", lambda: json.loads(cluster.run("status", "--json"))["queue"]["unfinished_jobs"] == 0)
            pids = [s["pid"] for s in cluster.services()]
            check("penstock up stops cleanly", cluster.stop() == 0)
            check("no process is left", not any(pathlib.Path(f"/proc/{pid}").exists() for pid in pids))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
