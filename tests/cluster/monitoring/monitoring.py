#!/usr/bin/env python3
"""Every expression of the dashboard and of the alerts, evaluated by Debian's Prometheus over running services; every
service's /metrics through `promtool check metrics`; configuration and rules through promtool.

monitoring.py BIN_DIR. An expression must return data, or stand in EMPTY with a reason. Exit 77 without Prometheus.
"""

import json
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests/lint"), str(ROOT / "tests/support/cluster")]
from checks import check, finish  # noqa: E402
from cluster import Cluster, get, wait_until  # noqa: E402
from metric_names import expressions  # noqa: E402

# Metrics that a healthy cluster on the host device does not emit, and why their expressions may be empty.
EMPTY = {
    "penstock_nvml_utilization_ratio": "NVML is a GPU's",
    "penstock_nvml_pcie_bytes_per_second": "NVML is a GPU's",
    "penstock_energy_joules_total": "NVML is a GPU's",
}
# Expressions with a comparison are alerts: empty is their healthy answer. Their left side must return data.
COMPARISON = re.compile(r"\s(==|>|<)\s")
VARIABLES = {"$__rate_interval": "30s", "$circuit": ".*", "$curve": ".*", "$phase": "msm_h"}


def tool(name, *arguments, given=None):
    done = subprocess.run(["promtool", *arguments], input=given, capture_output=True, text=True, check=False)
    check(name, done.returncode == 0, (done.stdout + done.stderr).strip()[-600:])


def static_checks():
    tool("alerts.yml", "check", "rules", ROOT / "deploy/prometheus/alerts.yml")
    tool("prometheus.yml", "check", "config", "--syntax-only", ROOT / "deploy/prometheus/prometheus.yml")


def metrics_checks(cluster):
    for service in cluster.services():
        text = get(f"http://{service.get('metrics') or service['http']}/metrics")
        tool(f"/metrics of {service['name']}", "check", "metrics", given=text)


def drive(cluster):
    """A little of everything: two curves, jobs of several partitions, one witness that fails its circuit."""
    for curve in ("bn254", "bls12_381"):
        at = ROOT / "tests/vectors" / curve
        for name in ("mul", "chain"):
            cluster.run("circuit", "add", f"{name}-{curve}", "--zkey", at / f"{name}.zkey", "--wasm", at / f"{name}.wasm",
                        "--r1cs", at / f"{name}.r1cs")
            inputs = [part for _ in range(3) for part in ("--input", at / f"{name}.in.json")]
            cluster.run("submit", f"{name}-{curve}", *inputs, "--wait")
        cluster.run("submit", f"chain-{curve}", "--witness", at / "f_wrongwire.wtns", "--wait", expect=1)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start_prometheus(cluster, folder):
    """Scrapes every announced service each second, under the jobs' names of deploy/prometheus/prometheus.yml."""
    jobs = {}
    for service in cluster.services():
        jobs.setdefault(f"penstock-{service['kind']}", []).append(service.get("metrics") or service["http"])
    config = {"global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
              "rule_files": [str(ROOT / "deploy/prometheus/alerts.yml")],
              "scrape_configs": [{"job_name": job, "static_configs": [{"targets": t}]} for job, t in jobs.items()]}
    (folder / "prometheus.yml").write_text(json.dumps(config))
    port = free_port()
    process = subprocess.Popen(
        ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/tsdb",
         f"--web.listen-address=127.0.0.1:{port}", "--log.level=warn"], stdin=subprocess.DEVNULL)
    return process, f"http://127.0.0.1:{port}"


def query(base, expression):
    """The samples of an instant query that are numbers; a wrong expression raises (HTTP 400)."""
    answer = json.loads(get(f"{base}/api/v1/query?query={urllib.parse.quote(expression)}"))
    return [s for s in answer["data"]["result"] if s["value"][1] != "NaN"]


def all_expressions():
    """(where, expression) with the dashboard's variables filled in."""
    for file in sorted((ROOT / "deploy/grafana/dashboards").glob("*.json")):
        board = json.loads(file.read_text())
        for panel in board["panels"]:
            for expression in expressions(panel):
                yield f"{file.name}, {panel['title']}", fill(expression)
        for variable in board["templating"]["list"]:
            metric, label = re.match(r"label_values\((\w+), (\w+)\)", variable["query"]).groups()
            yield f"{file.name}, variable {variable['name']}", f"count by ({label}) ({metric})"
    rules = (ROOT / "deploy/prometheus/alerts.yml").read_text()
    for name, expression in re.findall(r"- alert: (\w+)\n\s+expr: (.+)", rules):
        yield f"alert {name}", expression
        yield f"alert {name}, its left side", COMPARISON.split(expression)[0]


def fill(expression):
    for name, value in VARIABLES.items():
        expression = expression.replace(name, value)
    return expression


def excused(where, expression):
    return any(metric in expression for metric in EMPTY) or (where.startswith("alert") and COMPARISON.search(expression))


def evaluate(base, cluster):
    """Traffic goes on between the rounds, so that every rate has two samples."""
    waiting = dict(all_expressions_indexed())
    total = len(waiting)

    def round_of_queries():
        for key in list(waiting):
            where, expression = waiting[key]
            if query(base, expression) or excused(where, expression):
                del waiting[key]
                check(where, True)
        if waiting:
            cluster.run("submit", "mul-bn254", "--input", ROOT / "tests/vectors/bn254/mul.in.json", "--wait")
        return not waiting

    try:
        wait_until("every expression returns data", round_of_queries, seconds=60)
    except TimeoutError:
        for where, expression in waiting.values():
            check(where, False, f"no data: {expression}")
    print(f"{total} expressions evaluated")


def all_expressions_indexed():
    return enumerate(all_expressions())


def main():
    programs = sys.argv[1]
    if not shutil.which("prometheus") or not shutil.which("promtool"):
        print("skipped: Debian's prometheus is not installed (deploy/install.sh --dev)")
        return 77
    static_checks()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        with Cluster(programs, folder) as cluster:
            process, base = start_prometheus(cluster, folder)
            try:
                drive(cluster)
                wait_until("Prometheus answers", lambda: answers(base))
                metrics_checks(cluster)
                evaluate(base, cluster)
            finally:
                process.terminate()
                process.wait(30)
            check("penstock up stops cleanly", cluster.stop() == 0)
    return finish()


def answers(base):
    try:
        return get(f"{base}/-/ready")
    except OSError:
        return None


if __name__ == "__main__":
    sys.exit(main())
