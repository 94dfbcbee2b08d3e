"""The tree as the lints see it: the project's files and the include graph of its C++ ones."""

import functools
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE = {".hpp", ".cpp", ".cu", ".cuh", ".h"}
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)


@functools.lru_cache(maxsize=None)
def files():
    """Every file that git tracks or would track, relative to the root, sorted."""
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, check=True, capture_output=True).stdout.decode().split("\0")
    return sorted(n for n in set(names) if n and (ROOT / n).is_file())


def code_files(*folders):
    """C++ and CUDA files, optionally only those under one of the folders."""
    inside = tuple(f.rstrip("/") + "/" for f in folders)
    return [n for n in files() if pathlib.Path(n).suffix in CODE and (not inside or n.startswith(inside))]


@functools.lru_cache(maxsize=None)
def text(name):
    return (ROOT / name).read_text(encoding="utf-8", errors="replace")


def includes(name):
    """What a file includes, as written, in order."""
    return INCLUDE.findall(text(name))
