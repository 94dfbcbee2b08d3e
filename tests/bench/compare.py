"""compare.py BEFORE AFTER: the lines that AFTER has and BEFORE has not, beside the best of the same key and device."""

import json
import pathlib
import sys

LIMIT = 1.4
KEYS = ("device", "bench", "curve", "log2", "variant")


def lines(folder):
    found = []
    for file in sorted(pathlib.Path(folder).glob("*.jsonl")):
        found += [json.loads(line) for line in file.read_text().splitlines() if line.strip()]
    return found


def main(before, after):
    old = lines(before)
    new = lines(after)
    known = {json.dumps(line, sort_keys=True) for line in old}
    passed = failed = 0
    for line in new:
        if json.dumps(line, sort_keys=True) in known:
            continue
        same = [o["ms"] for o in old if all(o.get(k) == line.get(k) for k in KEYS)]
        slower = line["ms"] / min(same) if same else 1.0
        passed, failed = passed + (slower <= LIMIT), failed + (slower > LIMIT)
        print(f"{line['bench']} {line['curve']} {line['variant']}: {line['ms']} ms, "
              f"{'first on this device' if not same else f'{slower:.2f} times the best of {len(same)}'}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
