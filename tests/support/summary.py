"""The end of tests/run.sh: steps with their times, failures by name, and `N passed, N failed` as the last line.

Counts test cases: GoogleTest's XML where a suite wrote one, the line `N passed, N failed` of a script's output
where it printed one, else the ctest test itself; a step without tests counts as one.
"""

import pathlib
import re
import sys
import xml.etree.ElementTree as xml

COUNT = re.compile(r"(\d+) passed, (\d+) failed")


def count_test(case, folder):
    """(passed, failed, skipped, names of the failed) of one ctest test."""
    name, status = case.get("name"), case.get("status")
    if status in ("disabled", "notrun") or case.find("skipped") is not None:
        return 0, 0, 1, []
    passed = failed = 0
    names = []
    report = folder / f"{name}.xml"
    printed = COUNT.findall(case.findtext("system-out") or "")
    if report.is_file():
        for one in xml.parse(report).getroot().iter("testcase"):
            if one.find("failure") is not None:
                failed += 1
                names.append(f"{name}: {one.get('classname')}.{one.get('name')}")
            elif one.get("status") == "run" and one.get("result") != "skipped":
                passed += 1
    elif printed:
        passed, failed = (int(n) for n in printed[-1])
        names += [name] * bool(failed)
    elif status == "run":
        passed = 1
    if status == "fail" and failed == 0:
        failed, names = 1, [f"{name} (crashed, timed out, or failed outside a case)"]
    return passed, failed, 0, names


def count_step(name, outcome, folder):
    junit = folder / "ctest.junit"
    if not junit.is_file():
        return (outcome == "ok", outcome == "FAILED", outcome == "skipped", [name] * (outcome == "FAILED"))
    totals = [0, 0, 0, []]
    for case in xml.parse(junit).getroot().iter("testcase"):
        totals = [a + b for a, b in zip(totals, count_test(case, folder))]
    if outcome == "FAILED" and totals[1] == 0:
        totals[1], totals[3] = 1, [f"{name}: failed before its tests"]
    return tuple(totals)


def main(results):
    passed = failed = skipped = 0
    failures = []
    print("step             outcome   passed  failed skipped seconds")
    for line in (results / "steps.tsv").read_text().splitlines():
        name, outcome, seconds = line.split("\t")
        p, f, s, names = count_step(name, outcome, results / name)
        print(f"{name:16} {outcome:8} {p:7d} {f:7d} {s:7d} {seconds:>7}")
        passed, failed, skipped = passed + p, failed + f, skipped + s
        failures += names
    for name in failures:
        print(f"FAILED {name}")
    if skipped:
        print(f"{skipped} skipped (the log says why)")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
