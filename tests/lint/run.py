#!/usr/bin/env python3
"""Runs every lint: python3 tests/lint/run.py [--build DIR] [--only NAME]. Exit 1 when a rule is broken."""

import argparse
import sys
import time

import headers
import layers
import metric_names
import sizes
import text_rules
import units


def rules(build):
    return {
        "layers": layers.check,
        "text": text_rules.check,
        "header_comments": text_rules.check_header_comments,
        "format": text_rules.check_format,
        "sizes": sizes.check,
        "metric_names": metric_names.check,
        "units": units.check,
        "headers_alone": lambda: headers.check(build),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build/cpu", help="configured build folder (generated headers)")
    parser.add_argument("--only", help="run one rule")
    options = parser.parse_args()
    passed = failed = 0
    for name, rule in rules(options.build).items():
        if options.only and name != options.only:
            continue
        started = time.monotonic()
        broken = list(rule())
        for line in broken:
            print(f"  {line}")
        print(f"lint {name}: {'ok' if not broken else f'{len(broken)} broken'} ({time.monotonic() - started:.1f} s)")
        passed, failed = passed + (not broken), failed + bool(broken)
    if not options.only:
        sizes.report()
    print(f"lint: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
