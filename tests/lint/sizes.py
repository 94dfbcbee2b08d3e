"""Sizes of files and functions: a report, and an error beyond the hard limits (400 and 60 lines).

Why it matters: a stranger must be able to read a file standing. Split by idea, not by line count.
Functions are found from the layout that clang-format gives: a line that ends in `{` and is no other kind of block.
"""

import re

import tree

FILE_LIMIT, FUNCTION_LIMIT = 400, 60
# A head is a line that opens a block after a parameter list; these keywords open other blocks.
OPENS = re.compile(r"^( *)(?!if\b|for\b|while\b|switch\b|else\b|do\b|namespace\b|struct\b|class\b|enum\b|"
                   r"union\b|extern\b|try\b|catch\b|return\b|case\b|\}|//|#)\S.*\{$")
NOT_FUNCTION = re.compile(r"\b(struct|class|enum|union|namespace)\b[^()]*\{$|= \{$|^ *constexpr .*= *\{$|\[[^\]]*\].*\{$")


RAW = re.compile(r'R"(\w*)\(.*?\)\1"', re.S)  # a text in the source: its lines are data, not code
LITERAL = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)


def functions(name):
    """Yields (line, length) of each function body of a formatted file, from its opening to its closing brace."""
    coded = RAW.sub(lambda found: "\n\0" * found.group().count("\n"), tree.text(name))
    plain = LITERAL.sub(lambda found: "\n" * found.group().count("\n"), coded)
    lines = plain.splitlines()
    index = 0
    while index < len(lines):
        if not OPENS.match(lines[index]) or NOT_FUNCTION.search(lines[index]):
            index += 1
            continue
        depth, end = 0, index
        while end < len(lines):
            depth += lines[end].count("{") - lines[end].count("}")
            if depth <= 0:
                break
            end += 1
        yield index + 1, sum(not line.startswith("\0") for line in lines[index:end + 1])
        index = end + 1


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
