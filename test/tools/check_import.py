"""Every recorded graph is read, verified and round trips.

  check_import.py TITAN_OPT FOLDER

Of each text in the folder (whole graphs and halves): titan-opt reads it without
an error; its module survives printing and parsing, as text and as bytecode; the
FX text written from it is read back as the same module and, but for comments,
holds the same statements. The number of forward outputs that is inferred from
the text alone equals the recorded one. Where the folder has the same graph in
several forms (`forms/`), all give one module.
"""

import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import recorded

# Not in every form: descriptors, partitioner tags and the roles that follow.
DESCRIPTOR = re.compile(r'titan\.desc = "(?:[^"\\]|\\.)*", ')
PHASE = re.compile(r", titan\.phase = #titan\.phase<\w+>|titan\.phase = #titan\.phase<\w+>, ")
LAYOUT = re.compile(r"titan\.layouts? = (?:\[[^{}]*?\](?=, titan|\})|#titan\.layout<[^{}>]*>)(?:, )?")
REFUSED = {
    "code": "this is the plain code of a graph ('GraphModule.code'), which has no types",
    "graph-str": "this is the text of a graph ('str(gm.graph)'), which has no types",
}


class Failure(Exception):
    pass


def run(titan_opt, arguments, text=None):
    done = subprocess.run([titan_opt, *arguments], input=text, capture_output=True, text=True, timeout=300)
    if done.returncode:
        lines = [line for line in done.stderr.split("\n") if "error" in line] or [done.stderr]
        raise Failure(f"{' '.join(arguments)}: exit code {done.returncode}: {lines[0][:300]}")
    return done.stdout


def statements(text):
    """The lines of a graph without comments, blank lines and the class's name.
    Elements of tuples, which passes may reorder, come last, sorted."""
    lines, elements = [], []
    for line in text.split("\n"):
        line = re.sub(r"^(\s*)class [\w<>]+\(", r"\1class _(", line).rstrip()
        # Names of the signature that stand for lists of arguments.
        line = re.sub(r"tree_flatten_spec\(\[.*", "tree_flatten_spec(", line)
        if re.fullmatch(r"\s*\w+,", line):
            continue
        element = re.fullmatch(r"(.* = \w+\[\d+\])(;.*)?", line)
        if element:
            elements.append(element.group(1))
        elif line.strip() and not line.strip().startswith("#"):
            lines.append(line)
    return lines + sorted(elements)


def check_text(titan_opt, path, compare):
    module = run(titan_opt, ["--verify-roundtrip", path])
    written = run(titan_opt, ["--emit=fx", path])
    if run(titan_opt, ["-"], written) != module:
        raise Failure("the FX text that was written reads back as another module")
    if compare:
        with open(path) as file:
            before, after = statements(file.read()), statements(written)
        for number, (old, new) in enumerate(zip(before, after)):
            if old != new:
                raise Failure(f"statement {number} was written back as\n    {new[:400]}\n  not\n    {old[:400]}")
        if len(before) != len(after):
            raise Failure(f"{len(after)} statements were written back, not {len(before)}")
    return module


def check_outputs(module, golden):
    count = golden.get("num_forward_outputs")
    if count is None:
        return
    positions = re.search(r"titan\.result_positions = array<i64(?:: ([-0-9, ]*))?>", module)
    positions = [int(n) for n in (positions.group(1) or "").split(",") if n.strip()]
    expected = sum(position < count for position in positions)
    found = re.search(r"titan\.joint = (\d+) : i64", module)
    if not found or int(found.group(1)) != expected:
        raise Failure(f"{found and found.group(1)} forward outputs were inferred, not {expected}")


def check_forms(titan_opt, folder):
    errors = []
    modules, names = {}, sorted(os.listdir(folder))
    for name in names:
        graph, form = name.split(".")[:2]
        path = os.path.join(folder, name)
        try:
            if form in REFUSED:
                done = subprocess.run([titan_opt, path], capture_output=True, text=True)
                if done.returncode != 1 or REFUSED[form] not in done.stderr:
                    raise Failure(f"not refused by name: {done.stderr[:300]}")
                continue
            module = PHASE.sub("", DESCRIPTOR.sub("", run(titan_opt, [path])))
            # Only descriptors tell a mutation from an output.
            module = module.replace("#titan.role<mutation>", "#titan.role<output>")
            modules.setdefault(graph, {})[form] = module
        except Failure as failure:
            errors.append(f"{name}: {failure}")
    for graph, forms in modules.items():
        whole = forms.get("stride-device")
        for form, module in forms.items():
            expected = whole
            if form == "plain":
                expected = re.sub(r"^module attributes \{.*?\} \{", "module {", LAYOUT.sub("", whole), count=1)
                module = LAYOUT.sub("", module).replace("titan.no_strides, ", "")
                expected, module = (re.sub(r" \{(, )?\}|, (?=\})", "", m) for m in (expected, module))
            if module != expected:
                different = next((pair for pair in zip(module.split("\n"), expected.split("\n")) if pair[0] != pair[1]), "length")
                errors.append(f"{graph}.{form}: another module than stride-device:\n  {str(different)[:600]}")
    return sum(len(forms) for forms in modules.values()), errors


def main():
    titan_opt, folder = sys.argv[1:3]
    texts, errors = [], []
    for root, directories, files in sorted(os.walk(folder)):
        directories.sort()
        if os.path.basename(root) != "forms":
            texts += [os.path.join(root, name) for name in sorted(files) if name.endswith(".txt")]

    def check(path):
        try:
            # Text of the PyTorch 2.2 era is laid out otherwise, and torchtitan's
            # passes (NN-name.txt) move elements of tuples away from their tuples.
            compare = re.match(r"\d", os.path.basename(path)) is None
            module = check_text(titan_opt, path, compare)
            golden = os.path.join(os.path.dirname(path), "golden.json")
            if os.path.basename(path) == "joint.txt" and os.path.exists(golden):
                with open(golden) as file:
                    check_outputs(module, json.load(file))
        except (Failure, subprocess.TimeoutExpired) as failure:
            return f"{os.path.relpath(path, folder)}: {failure}"
        return None

    with recorded.concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        errors += [error for error in pool.map(check, texts) if error]
    count = len(texts)
    forms = os.path.join(folder, "forms")
    if os.path.isdir(forms):
        more, found = check_forms(titan_opt, forms)
        count, errors = count + more, errors + found
    goldens = os.path.join(folder, "goldens.json")
    if os.path.exists(goldens):
        with open(goldens) as file:
            for name, golden in sorted(json.load(file).items()):
                try:
                    check_outputs(run(titan_opt, [os.path.join(folder, name + ".txt")]), golden)
                except Failure as failure:
                    errors.append(f"{name}: {failure}")
    print("\n".join(errors))
    print(f"{count} texts, {len(errors)} failures")
    if not count:
        sys.exit("no texts")
    sys.exit(bool(errors))


if __name__ == "__main__":
    main()
