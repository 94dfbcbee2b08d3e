"""What no file of the project may hold, and what every folder must."""

import re
import subprocess

import tree

# Assembled, so that this file does not match itself.
FORBIDDEN = [
    (re.compile(r"\b(?:TO" + "DO|FIX" + "ME|X" + r"XX)\b"), "unfinished work is an issue, not a comment"),
    (re.compile("/wo" + "rk/|/ro" + "ot/|/ho" + r"me/\w|/tm" + "p/penstock/"), "a path of one machine"),
    (re.compile("registry\\.npm" + "js|registry\\.yarn" + "pkg|docker\\." + "io/"), "a registry's host"),
    (re.compile("Co-Authored" + "-By"), "not in this project's files"),
]
# A name of a third party's licence or circuits, where it means that their work was copied in.
FOREIGN = [
    (re.compile("GNU (?:Lesser )?General Public" + " License"), "a GPL text: nothing of it is copied in"),
    (re.compile("include \"[^\"]*circom" + "lib"), "a circuit made from circomlib is never committed"),
]
# Files that may speak of those names, and why.
ALLOWED = {
    "tests/snarkjs/package-lock.json": "names and licences of what npm installs at test time",
    "tests/vectors/bn254/range64/circuit.circom": "declared ours and free to copy by its origin",
    "tests/vectors/bls12_381/range64/circuit.circom": "declared ours and free to copy by its origin",
}
# Compiled from circomlib: file stems that must not appear under tests/vectors.
FOREIGN_CIRCUITS = re.compile(r"tests/vectors/.*(poseidon|sha256|mimc|pedersen|eddsa|babyjub)")
BINARY = (".zkey", ".wtns", ".r1cs", ".wasm", ".sym", ".xz", ".gz", ".png")


def check():
    for name in tree.files():
        if FOREIGN_CIRCUITS.match(name):
            yield f"{name}: compiled from circomlib? Such circuits are built when a test runs"
        if name.endswith(BINARY) or name == "LICENSE":
            continue
        yield from check_text(name)
    tops = {n.split("/")[0] for n in tree.files() if "/" in n and not n.startswith(".")}
    for top in sorted(tops):
        if not (tree.ROOT / top / "README.md").is_file():
            yield f"{top}/: no README.md saying what lives there and how to add to it"


def check_text(name):
    for number, line in enumerate(tree.text(name).splitlines(), 1):
        for pattern, why in FORBIDDEN + FOREIGN:
            found = pattern.search(line)
            if found and name not in ALLOWED:
                yield f"{name}:{number}: '{found.group(0)}': {why}"


def check_format():
    """clang-format 14, the one of Debian 12: others lay out differently."""
    names = tree.code_files()
    if not names:
        return
    result = subprocess.run(["clang-format", "--dry-run", "-ferror-limit=1", *names], cwd=tree.ROOT,
                            capture_output=True, text=True, check=False)
    bad = sorted({line.split(":")[0] for line in result.stderr.splitlines() if "warning: code should be" in line})
    for name in bad:
        yield f"{name}: not as clang-format 14 lays it out (clang-format -i {name})"


def check_header_comments():
    """Every header begins with a comment that says what it is."""
    for name in tree.code_files("common", "cuda", "services", "tests/support"):
        if name.endswith((".hpp", ".cuh")) and not tree.text(name).lstrip().startswith(("//", "/*")):
            yield f"{name}: a header begins with a comment saying what it is"
