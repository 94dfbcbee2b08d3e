#!/usr/bin/env python3
"""Writes dashboards/penstock.json. Its phase panels come from common/base/phase.hpp, the only list of phases.

python3 deploy/grafana/make_dashboard.py          writes the file
python3 deploy/grafana/make_dashboard.py --check  exit 1 when the file is not what this would write (a lint)
"""

import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
OUTPUT = HERE / "dashboards" / "penstock.json"
PHASES = HERE.parents[1] / "common" / "base" / "phase.hpp"
DATASOURCE = {"type": "prometheus", "uid": "penstock-prometheus"}
RATE = "[$__rate_interval]"


def phases():
    """{service: [phase]} from the enum, whose comments name the services."""
    body = re.search(r"enum class Phase.*?\{(.*?)\};", PHASES.read_text(), re.S).group(1)
    found, service = {}, None
    for comment, phase in re.findall(r"//\s*(\w+)|(\w+),", body):
        service = comment or service
        found.setdefault(service, [])
        if phase:
            found[service].append(phase)
    return found


class Board:
    """Places panels from left to right, 24 columns a line, and numbers them."""

    def __init__(self):
        self.panels, self.x, self.y, self.height = [], 0, 0, 0

    def row(self, title):
        self.y += self.height
        self.panels.append({"id": len(self.panels) + 1, "type": "row", "title": title, "collapsed": False,
                            "panels": [], "gridPos": {"h": 1, "w": 24, "x": 0, "y": self.y}})
        self.x, self.y, self.height = 0, self.y + 1, 0

    def add(self, kind, title, targets, width=8, height=8, unit="short", **options):
        if self.x + width > 24:
            self.x, self.y, self.height = 0, self.y + self.height, 0
        defaults = {"unit": unit, "min": 0, **options.pop("defaults", {})}
        if options.pop("stacked", False):
            defaults["custom"] = {"stacking": {"mode": "normal"}, "fillOpacity": 40, "lineWidth": 1}
        self.panels.append({
            "id": len(self.panels) + 1, "type": kind, "title": title, "datasource": DATASOURCE,
            "description": options.pop("description", ""),
            "gridPos": {"h": height, "w": width, "x": self.x, "y": self.y},
            "fieldConfig": {"defaults": defaults, "overrides": []}, "options": options,
            "targets": [{"refId": chr(65 + i), "datasource": DATASOURCE, "expr": expression, "legendFormat": legend,
                         **({"format": "heatmap"} if kind == "heatmap" else {})}
                        for i, (expression, legend) in enumerate(targets)]})
        self.x, self.height = self.x + width, max(self.height, height)

    def lines(self, title, targets, **options):
        self.add("timeseries", title, targets, **options)

    def stat(self, title, expression, **options):
        self.add("stat", title, [(expression, "")], width=4, height=4, **options)


def quantile(share, histogram, selector, by):
    return (f"histogram_quantile({share}, sum by (le, {by}) "
            f"(rate({histogram}_bucket{{{selector}}}{RATE})))")


def overview(board):
    board.row("Overview")
    board.stat("Jobs done per minute", f'60 * sum(rate(penstock_jobs_total{{result="done"}}{RATE}))')
    board.stat("Proofs per minute", f'60 * sum(rate(penstock_partitions_total{{job="penstock-queue",result="done"}}{RATE}))')
    board.stat("Waiting partitions", "sum(penstock_queue_depth)")
    board.stat("Oldest waiting", "max(penstock_queue_oldest_age_seconds)", unit="s")
    board.stat("Synthesis workers", 'sum(penstock_workers{kind="synthesis",state="alive"})')
    board.stat("GPU services", 'sum(penstock_workers{kind="gpu",state="alive"})')
    board.lines("Jobs by result", [(f"sum by (result) (rate(penstock_jobs_total{RATE}))", "{{result}}")], unit="ops")
    board.lines("A job's duration", [
        (quantile(share, "penstock_job_duration_seconds", 'circuit=~"$circuit"', "circuit"), "{{circuit}} p" + label)
        for share, label in ((0.5, "50"), (0.95, "95"))], unit="s")
    board.lines("Partitions by result", [(f"sum by (result) (rate(penstock_partitions_total{{job=\"penstock-queue\"}}{RATE}))", "{{result}}")],
                unit="ops")


def queue(board, names):
    board.row("Queue")
    board.lines("Depth by stage", [("sum by (stage) (penstock_queue_depth)", "{{stage}}")], stacked=True)
    board.lines("Depth by priority", [("sum by (priority) (penstock_queue_depth)", "{{priority}}")], stacked=True)
    board.lines("Backlog in seconds of work", [("max by (stage) (penstock_backlog_seconds)", "{{stage}}")], unit="s")
    board.lines("Turned away", [(f"sum by (reason) (rate(penstock_rejected_total{RATE}))", "{{reason}}")], unit="ops")
    board.lines("Tried again", [(f"sum by (reason) (rate(penstock_retries_total{RATE}))", "{{reason}}")], unit="ops")
    board.lines("Workers", [("sum by (kind, state) (penstock_workers)", "{{kind}} {{state}}")])
    phase_panels(board, names)


def synthesis(board, names):
    board.row("Synthesis")
    board.lines("Credits", [("sum by (worker_kind) (penstock_credits)", "{{worker_kind}}")])
    phase_panels(board, names)


def gpu(board, names):
    board.row("Device")
    board.lines("Busy and idle, by reason", [
        (f"sum by (device) (rate(penstock_gpu_busy_seconds_total{RATE}))", "{{device}} busy"),
        (f"sum by (device, reason) (rate(penstock_gpu_idle_seconds_total{RATE}))", "{{device}} idle: {{reason}}")],
        unit="percentunit", stacked=True, description="Busy and all idle reasons add up to the wall clock.")
    board.lines("Slabs", [("sum by (state) (penstock_slabs)", "{{state}}")], stacked=True)
    board.lines("Arena", [("sum by (state) (penstock_arena_bytes)", "{{state}}")], unit="bytes", stacked=True)
    board.lines("Copied to the device", [
        (f"sum by (device, memory) (rate(penstock_h2d_bytes_total{RATE}))", "{{device}} from {{memory}}")], unit="Bps")
    board.lines("Memory of the device", [("sum by (device, kind) (penstock_device_memory_bytes)", "{{device}} {{kind}}")],
                unit="bytes", stacked=True)
    board.lines("Proofs that failed the self-check", [
        (f"sum by (device) (increase(penstock_self_verify_failures_total{RATE}))", "{{device}}")],
        description="Each was proved again on the host; none left.")
    board.lines("Circuits loaded", [(f"sum by (circuit) (increase(penstock_circuit_loads_total{RATE}))", "{{circuit}}")])
    board.lines("Circuits evicted", [(f"sum by (reason) (increase(penstock_circuit_evictions_total{RATE}))", "{{reason}}")])
    board.lines("Utilisation as NVML sees it", [("penstock_nvml_utilization_ratio", "{{device}}")], unit="percentunit",
                description="A kernel was resident; beside busy, never in its place. Absent on the host device.")
    board.lines("PCIe as NVML sees it", [("penstock_nvml_pcie_bytes_per_second", "{{device}} {{direction}}")], unit="Bps")
    board.lines("Energy per proof", [
        (f"sum by (device) (rate(penstock_energy_joules_total{RATE})) / scalar(sum(rate(penstock_partitions_total{{job=\"penstock-gpu\"}}{RATE})))",
         "{{device}}")], unit="joule")
    phase_panels(board, names)


def phase_panels(board, names):
    """Quantiles of every phase of a service, where its time goes, and a heat map of one phase."""
    pattern = f'phase=~"{"|".join(names)}",curve=~"$curve"'
    for share, label in ((0.5, "median"), (0.95, "95th percentile")):
        board.lines(f"Phases, {label}",
                    [(quantile(share, "penstock_phase_duration_seconds", pattern, "phase"), "{{phase}}")], unit="s")
    board.lines("Where the time goes (seconds of each phase per second)",
                [(f"sum by (phase) (rate(penstock_phase_duration_seconds_sum{{{pattern}}}{RATE}))", "{{phase}}")],
                stacked=True)


def heat(board):
    board.row("One phase")
    board.add("heatmap", "Durations of $phase", [
        (f'sum by (le) (increase(penstock_phase_duration_seconds_bucket{{phase="$phase",curve=~"$curve"}}{RATE}))', "{{le}}")],
        width=24, height=10, unit="s", yAxis={"unit": "s"}, color={"mode": "scheme", "scheme": "Oranges"})


def versions(board):
    board.row("Versions")
    board.add("table", "Build of every process", [("penstock_build_info", "")], width=24, height=6)


def variable(name, query, multi=True, current="$__all"):
    return {"name": name, "type": "query", "datasource": DATASOURCE, "refresh": 2, "sort": 1, "multi": multi,
            "includeAll": multi, **({"allValue": ".*"} if multi else {}), "query": query,
            "current": {"text": "All" if multi else current, "value": current}}


def dashboard():
    found, board = phases(), Board()
    overview(board)
    queue(board, found["queue"])
    synthesis(board, found["synthesis"])
    gpu(board, found["gpu"])
    heat(board)
    versions(board)
    return {
        "uid": "penstock", "title": "Penstock", "tags": ["penstock"], "schemaVersion": 39, "version": 1, "editable": False,
        "refresh": "10s", "time": {"from": "now-30m", "to": "now"}, "timezone": "browser", "graphTooltip": 1,
        "templating": {"list": [
            variable("circuit", "label_values(penstock_job_duration_seconds_bucket, circuit)"),
            variable("curve", "label_values(penstock_phase_duration_seconds_bucket, curve)"),
            variable("phase", "label_values(penstock_phase_duration_seconds_bucket, phase)", multi=False, current="msm_h")]},
        "annotations": {"list": []}, "panels": board.panels}


if __name__ == "__main__":
    text = json.dumps(dashboard(), indent=1) + "\n"
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if OUTPUT.is_file() and OUTPUT.read_text() == text else
                 "deploy/grafana/dashboards/penstock.json is stale: run deploy/grafana/make_dashboard.py")
    OUTPUT.write_text(text)
