"""A cluster of real processes for a script: `penstock up` on free loopback ports, stopped by its pid."""

import json
import os
import pathlib
import signal
import subprocess
import time
import urllib.request


def wait_until(what, holds, seconds=60):
    """Polls a condition; its value. Raises with `what` when it does not come true in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = holds()
        if value:
            return value
        time.sleep(0.1)
    raise TimeoutError(what)


def get(url, timeout=10):
    with urllib.request.urlopen(url, timeout=timeout) as answer:
        return answer.read().decode()


class Cluster:
    """`with Cluster(bin, folder) as c:` has c.run(verb...), c.services() and c.http."""

    def __init__(self, programs, folder, synthesis=2, up=()):
        self.program, self.folder = pathlib.Path(programs) / "penstock", pathlib.Path(folder)
        self.data = self.folder / "data"
        self.synthesis, self.up, self.http, self.process = synthesis, up, "", None

    def __enter__(self):
        log = open(self.folder / "up.log", "wb")
        command = [self.program, "up", "--synthesis", str(self.synthesis), "--device", "cpu", "--data", self.data,
                   "--http", "127.0.0.1:0", "--allow-insecure-keys", *self.up]
        self.process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            wait_until("all services announced", lambda: len(self.services()) == self.synthesis + 2)
            self.http = next(s["http"] for s in self.services() if s["kind"] == "queue")
            wait_until("the queue is ready", self.ready)
        except BaseException:
            print((self.folder / "up.log").read_text(errors="replace")[-4000:])
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def ready(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"penstock up ended with {self.process.returncode}")
        try:
            return get(f"http://{self.http}/readyz")
        except OSError:
            return None

    def stop(self):
        """SIGTERM and the exit status; kills after a minute."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def services(self):
        found = []
        for file in sorted((self.data / "run").glob("*.json")):
            try:
                service = json.loads(file.read_text())
                # Those of an `up` that was killed may still be draining, and announced.
                if self.is_child(service["pid"]):
                    found.append(service)
            except (OSError, ValueError):
                pass
        return found

    def service(self, name="gpu-cpu"):
        return next((s for s in self.services() if s["name"] == name), None)

    def is_child(self, pid):
        return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()[1]) == self.process.pid

    def run(self, *arguments, expect=0):
        """penstock ARGUMENTS against this cluster; its stdout. Raises on another exit status (None: any)."""
        environment = {**os.environ, "PENSTOCK_URL": f"http://{self.http}", "XDG_CACHE_HOME": str(self.folder / "cache")}
        done = subprocess.run([self.program, *map(str, arguments)], env=environment, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=240, check=False)
        if expect is not None and done.returncode != expect:
            raise RuntimeError(f"penstock {' '.join(map(str, arguments))}: exit {done.returncode}: {done.stderr}{done.stdout}")
        return done.stdout
