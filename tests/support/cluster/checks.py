"""The checks of a script: counted, told when they fail, summed up in the last line that run.sh reads."""

_outcomes = []


def check(name, holds, detail=""):
    _outcomes.append(bool(holds))
    if not holds:
        print(f"not ok {name}: {detail}", flush=True)


def finish():
    """Prints "N passed, N failed"; the script's exit status."""
    failed = _outcomes.count(False)
    print(f"{len(_outcomes) - failed} passed, {failed} failed")
    return 1 if failed or not _outcomes else 0
