#!/usr/bin/env python3
"""A stranger's synthesizer (common/staging/example), built outside the tree against the installed client library, and
services under CURVE, all real processes: same host and network, right keys, missing and unlisted ones. foreign.py BUILD_DIR"""

import contextlib
import json
import pathlib
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/support/cluster"))
from checks import check, finish  # noqa: E402
from cluster import Cluster, get, wait_until  # noqa: E402

AT = ROOT / "tests/vectors/bn254"
BUILD = pathlib.Path(sys.argv[1])
BIN = BUILD / "bin"
FILES = ("--zkey", AT / "mul.zkey", "--wasm", AT / "mul.wasm", "--r1cs", AT / "mul.r1cs")


def run(*command, expect=0, **options):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=240,
                          check=False, **options)
    if expect is not None and done.returncode != expect:
        raise RuntimeError(f"{command}: exit {done.returncode}: {done.stderr}{done.stdout}")
    return done


def built_by_a_stranger(folder):
    """The example, from nothing but what `cmake --install` puts in place."""
    run("cmake", "--install", BUILD, "--component", "client", "--prefix", folder / "installed")
    run("cmake", "-S", ROOT / "common/staging/example", "-B", folder / "out", f"-DCMAKE_PREFIX_PATH={folder / 'installed'}")
    run("cmake", "--build", folder / "out")
    return folder / "out/foreign_prover"


def proves(program, folder, what, endpoint, circuit, keys=()):
    for kind in ("witness", "evaluated"):
        at = folder / "proofs" / f"{what.replace(' ', '-')}-{kind}"
        at.mkdir(parents=True)
        done = run(program, endpoint, circuit, kind, at, *keys, expect=None)
        check(f"{what}: the {kind} partition is proved", done.returncode == 0, done.stderr)
        if done.returncode == 0:
            verified = run(BIN / "penstock", "verify", AT / "mul.vk.json", at / "public.json", at / "proof.json", expect=None)
            check(f"{what}: its proof verifies", "OK!" in verified.stdout, verified.stdout + verified.stderr)
            check(f"{what}: it is of the right publics", json.loads((at / "public.json").read_text()) == ["33"])


def metric(address, name):
    lines = [line for line in get(f"http://{address}/metrics").splitlines() if line.startswith(f"penstock_{name} ")
             or line.startswith(f"penstock_{name}{{")]
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines)


def on_the_same_host(program, folder):
    with Cluster(BIN, folder, synthesis=1) as cluster:
        cluster.run("circuit", "add", "mul", *FILES)
        circuit = json.loads(cluster.run("circuit", "show", "mul", "--json"))["id"]
        gpu = cluster.service()
        proves(program, folder, "shared memory", gpu["endpoints"][0], circuit)
        check("no slab is left in use", metric(gpu["metrics"], 'arena_bytes{state="leased"}') == 0)
        done = run(program, gpu["endpoints"][0], "0" * 64, "witness", folder, expect=None)
        check("an unknown circuit is refused by name", "error[circuit_unknown]" in done.stderr, done.stderr)
        check("the queue's own jobs go on", "done" in cluster.run("submit", "mul", "--input", AT / "mul.in.json", "--wait"))


class Secured:
    """queue, gpu and synthesis under CURVE, each with a key of its own."""

    def __init__(self, folder):
        self.folder, self.processes = folder, contextlib.ExitStack()
        self.keys = folder / "keys"
        for made in (self.keys, folder / "run", folder / "circuits"):
            made.mkdir(parents=True)
        for name in ("queue", "gpu", "worker", "foreign", "stranger"):
            run(BIN / "penstock", "keygen", name, "--out", self.keys)
        for of, listed in (("queue", ("gpu", "worker")), ("gpu", ("worker", "foreign"))):
            (folder / f"{of}-clients").mkdir()
            for name in listed:
                (folder / f"{of}-clients" / f"{name}.pub").write_text((self.keys / f"{name}.pub").read_text())

    def __enter__(self):
        self.start("queue", "--http", "127.0.0.1:0", "--data", self.folder / "queue", *self.secured("queue"),
                   "--allow-insecure-keys")
        queue = self.announced("queue")
        self.http, self.queue = queue["http"], queue["endpoints"][0]
        self.start("gpu", "--device", "cpu", "--metrics", "127.0.0.1:0", "--queue", self.queue, "--allow-insecure-keys",
                   "--arena", self.folder / "arena", "--arena-bytes", "16MiB", "--queue-key", self.keys / "queue.pub",
                   *self.secured("gpu"))
        self.gpu = self.announced("gpu")
        return self

    def __exit__(self, *_):
        self.processes.close()

    def secured(self, name):
        return ("--bind", "tcp://127.0.0.1:0", "--curve-key", self.keys / f"{name}.key", "--curve-clients",
                self.folder / f"{name}-clients")

    def start(self, kind, *arguments, name=None):
        name = name or kind
        log = open(self.folder / f"{name}.log", "wb")
        process = subprocess.Popen([str(part) for part in (BIN / f"penstock-{kind}", "--name", name, "--run", self.folder / "run",
                                                           "--circuits", self.folder / "circuits", *arguments)],
                                   stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        self.processes.callback(self.end, process)
        return process

    @staticmethod
    def end(process):
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def synthesis(self, name, *keys):
        return self.start("synthesis", "--metrics", "127.0.0.1:0", "--queue", self.queue, "--credits", "1",
                          "--cache", self.folder / f"{name}-cache", *keys, name=name)

    def announced(self, name):
        file = self.folder / "run" / f"{name}.json"
        try:
            wait_until(f"{name} is there", file.exists, 20)
        except TimeoutError:
            print(self.log(name))
            raise
        return json.loads(file.read_text())

    def log(self, name):
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def penstock(self, *arguments):
        return run(BIN / "penstock", *arguments, "--url", f"http://{self.http}", expect=None)


def turned_away(cluster, name, told, *keys):
    before = metric(cluster.http, 'rejected_total{reason="unauthorized"}')
    process = cluster.synthesis(name, *keys)
    said = wait_until(f"{name} says why it is turned away", lambda: told in cluster.log(name) or process.poll() is not None)
    check(f"{name} is told why it is turned away", said and told in cluster.log(name), cluster.log(name))
    counted = wait_until(f"the queue counts {name}", lambda: metric(cluster.http, 'rejected_total{reason="unauthorized"}') > before)
    check(f"the queue counts {name}", counted)
    Secured.end(process)


def under_curve(program, folder):
    with Secured(folder) as cluster:
        added = cluster.penstock("circuit", "add", "mul", *FILES)
        check("a circuit is registered", added.returncode == 0, added.stderr)
        turned_away(cluster, "keyless", "speaks CURVE and we have no key")
        turned_away(cluster, "unlisted", "does not list our CURVE key", "--curve-key", cluster.keys / "stranger.key",
                    "--queue-key", cluster.keys / "queue.pub")
        cluster.synthesis("worker", "--curve-key", cluster.keys / "worker.key", "--queue-key", cluster.keys / "queue.pub")
        done = cluster.penstock("submit", "mul", "--input", AT / "mul.in.json", "--wait")
        check("a worker with a listed key proves", done.returncode == 0 and "done" in done.stdout, done.stdout + done.stderr)

        circuit = json.loads(cluster.penstock("circuit", "show", "mul", "--json").stdout)["id"]
        endpoint = cluster.gpu["endpoints"][0]
        proves(program, folder, "network", endpoint, circuit, (cluster.keys / "foreign.key", cluster.keys / "gpu.pub"))
        before = metric(cluster.gpu["metrics"], 'rejected_total{reason="unauthorized"}')
        for what, keys in (("an unlisted key", (cluster.keys / "stranger.key", cluster.keys / "gpu.pub")), ("no key", ())):
            done = run(program, endpoint, circuit, "witness", folder, *keys, expect=None)
            check(f"{what} is refused by name", done.returncode == 1 and "error[unauthorized]" in done.stderr, done.stderr)
        # A plain peer that gives up first is a broken connection to the other side: the queue's was told of above.
        check("the gpu service counts them", metric(cluster.gpu["metrics"], 'rejected_total{reason="unauthorized"}') > before)
        check("the gpu service says so", "not listed" in cluster.log("gpu"), cluster.log("gpu"))


def main():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:  # the arena must lie in memory
        folder = pathlib.Path(folder)
        program = built_by_a_stranger(folder)
        on_the_same_host(program, folder)
        under_curve(program, folder / "secured")
    return finish()


if __name__ == "__main__":
    sys.exit(main())
