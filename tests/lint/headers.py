"""Every header compiles alone. Through ccache, so that an unchanged header costs milliseconds.

Each header becomes one translation unit that includes it twice: once for its own includes, once for its guard.
"""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess

import tree

FLAGS = ["-std=c++20", "-O0", "-w", "-c", "-x", "c++"]


def headers():
    """Headers that plain g++ must be able to compile: not those that need nvcc."""
    for name in tree.code_files("common", "services", "cuda", "tests"):
        if name.endswith(".hpp") and not any("cuda_runtime" in i for i in reachable(name)):
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
