"""Every header compiles alone. A header that some .cpp includes first is proved by the build; each of the others becomes
one translation unit that includes it twice (its own includes, its guard), through ccache.
"""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess

import tree

# What tests/ gets from penstock_suite, so that its support headers compile too.
FLAGS = ["-std=c++20", "-O0", "-w", "-c", "-x", "c++", '-DPENSTOCK_TEST_VECTORS=""', '-DPENSTOCK_BIN_DIR=""']


def headers():
    """Headers that the build does not prove and that plain g++ can compile (not those that need nvcc)."""
    sources = [n for n in tree.code_files("common", "services", "cuda", "tests") if n.endswith((".cpp", ".cu"))]
    proved = {included[0] for included in map(tree.includes, sources) if included}
    for name in tree.code_files("common", "services", "cuda", "tests"):
        if name.endswith(".hpp") and name not in proved and not any("cuda_runtime" in i for i in reachable(name)):
            yield name


def reachable(name, seen=None):
    """All includes of a header, through the project's own headers."""
    seen = set() if seen is None else seen
    for included in tree.includes(name):
        if included not in seen:
            seen.add(included)
            if (tree.ROOT / included).is_file():
                reachable(included, seen)
    return seen


def compile_alone(name, include_flags, folder):
    unit = folder / (name.replace("/", "__") + ".cpp")
    content = f'#include "{name}"\n#include "{name}"\n'
    if not unit.exists() or unit.read_text() != content:
        unit.write_text(content)
    compiler = ["ccache", "g++"] if shutil.which("ccache") else ["g++"]
    command = [*compiler, *FLAGS, *include_flags, str(unit), "-o", str(unit.with_suffix(".o"))]
    result = subprocess.run(command, cwd=tree.ROOT, capture_output=True, text=True, check=False)
    return name, result.returncode, result.stderr


def check(build):
    """Yields one line per header that does not compile alone. `build` is the CMake folder: generated headers."""
    folder = pathlib.Path(build) / "lint-headers"
    folder.mkdir(parents=True, exist_ok=True)
    include_flags = ["-I", ".", "-I", str(build), "-I", str(pathlib.Path(build) / "schemas")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(compile_alone, name, include_flags, folder) for name in headers()]
        for job in jobs:
            name, code, errors = job.result()
            if code != 0:
                first = next((line for line in errors.splitlines() if "error" in line), "failed")
                yield f"{name}: does not compile alone: {first}"
