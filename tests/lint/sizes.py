"""Sizes of files and functions: a report, and an error beyond the hard limits (400 and 60 lines).

Why it matters: a stranger must be able to read a file standing. Split by idea, not by line count.
Functions are found from the layout that clang-format gives: a definition's head begins in column 0 (or in a
class's indentation) and its closing brace stands alone in the same column.
"""

import re

import tree

FILE_LIMIT, FUNCTION_LIMIT = 400, 60
# A head is a line that opens a block after a parameter list; these keywords open other blocks.
OPENS = re.compile(r"^( *)(?!if\b|for\b|while\b|switch\b|else\b|do\b|namespace\b|struct\b|class\b|enum\b|"
                   r"union\b|extern\b|try\b|catch\b|return\b|case\b|\}|//|#)\S.*\{$")
NOT_FUNCTION = re.compile(r"\b(struct|class|enum|union|namespace)\b[^()]*\{$|= \{$|^ *constexpr .*= *\{$|\[[^\]]*\].*\{$")


def functions(name):
    """Yields (first line, length) of each function body of a formatted file."""
    lines = tree.text(name).splitlines()
    index = 0
    while index < len(lines):
        opened = OPENS.match(lines[index])
        if not opened or NOT_FUNCTION.search(lines[index]):
            index += 1
            continue
        start, indent = index, len(opened.group(1))
        while start > 0 and lines[start].count(")") > lines[start].count("(") and index - start < 12:
            start -= 1  # the head's first line, when its parameters are wrapped
        indent = min(indent, len(lines[start]) - len(lines[start].lstrip()))
        end = next((i for i in range(index + 1, len(lines)) if lines[i].rstrip() in (" " * indent + "}", " " * indent + "};")),
                   index)
        yield start + 1, end - start + 1
        index = max(end, index) + 1


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else 0


def check():
    for name in tree.code_files():
        lines = tree.text(name).count("\n")
        if lines > FILE_LIMIT:
            yield f"{name}: {lines} lines (limit {FILE_LIMIT}): split it by idea"
        for first, length in functions(name):
            if length > FUNCTION_LIMIT:
                yield f"{name}:{first}: a function of {length} lines (limit {FUNCTION_LIMIT})"


def report():
    """One paragraph of numbers, and the files and functions above the aims."""
    names = tree.code_files()
    files = {n: tree.text(n).count("\n") for n in names}
    lengths = [(length, f"{n}:{first}") for n in names for first, length in functions(n)]
    sizes, bodies = list(files.values()), [length for length, _ in lengths]
    print(f"  {len(files)} files: median {percentile(sizes, .5)} lines, 90th percentile {percentile(sizes, .9)}; "
          f"{len(bodies)} functions: median {percentile(bodies, .5)}, 90th percentile {percentile(bodies, .9)}")
    aims = [(n, lines) for n, lines in files.items() if lines > (150 if n.endswith(".hpp") else 250)]
    if aims:
        print("  above the aim (150 a header, 250 a source): " +
              ", ".join(f"{n} {lines}" for n, lines in sorted(aims, key=lambda a: -a[1])[:12]))
    long_ones = sorted((one for one in lengths if one[0] > 40), reverse=True)
    if long_ones:
        print("  functions above 40 lines: " + ", ".join(f"{where} {length}" for length, where in long_ones[:12]))
