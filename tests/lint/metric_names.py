"""Metrics named in dashboards and alerts are in common/telemetry's table, and the other way round for rows."""

import json
import re

import tree

NAME = re.compile(r"\bpenstock_[a-z0-9_]+")
SUFFIX = re.compile(r"_(bucket|sum|count)$")


def table():
    """Every metric name that common/telemetry writes as a string, with the prefix."""
    source = "".join(tree.text(n) for n in tree.code_files("common/telemetry"))
    return {name if name.startswith("penstock_") else "penstock_" + name
            for name in re.findall(r'"((?:penstock_)?[a-z0-9]+(?:_[a-z0-9]+)+|slabs|credits|workers)"', source)}


def named():
    """(file, metric) for every metric in an expression of the dashboards and the rules."""
    for name in tree.files():
        if name.startswith("deploy/grafana/") and name.endswith(".json"):
            for expression in expressions(json.loads(tree.text(name))):
                yield from ((name, metric) for metric in NAME.findall(expression))
        elif name == "deploy/prometheus/alerts.yml":
            yield from ((name, metric) for metric in NAME.findall(tree.text(name)))


def expressions(node):
    """Every "expr" and template "query" below a dashboard's JSON node."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("expr", "query") and isinstance(value, str):
                yield value
            else:
                yield from expressions(value)
    elif isinstance(node, list):
        for child in node:
            yield from expressions(child)


def check():
    known = table()
    for name, metric in sorted(set(named())):
        if metric not in known and SUFFIX.sub("", metric) not in known:
            yield f"{name}: {metric} is not in common/telemetry's table"
