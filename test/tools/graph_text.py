"""Two readers, one shape: a function of print_readable text and one of Titan's
IR, both as arguments, calls and results by source name. Neither knows titan-opt;
a graph in one notation can so be held against the same graph in the other.
"""

import re


class Call:
    """An op: its name, what it reads, and its value or the elements of its tuple."""

    def __init__(self, target, operands, results):
        self.target, self.operands, self.results = target, operands, results

    def __repr__(self):
        return f"{', '.join(r or '_' for r in self.results)} = {self.target}({', '.join(self.operands)})"


class Function:
    def __init__(self):
        self.arguments, self.calls, self.returns = [], [], []

    def drop_dead_results(self):
        """Forgets elements that nothing reads: text leaves them out, IR does not.
        Of a tuple that nothing reads only the text has a name."""
        used = {name for call in self.calls for name in call.operands}
        used.update(name for name in self.returns if name)
        for call in self.calls:
            if len(call.results) > 1:
                call.results = [name if name in used else "" for name in call.results]
            while len(call.results) > 1 and not call.results[-1]:
                call.results.pop()


def difference(got, want):
    """What differs first between two functions, or None. The IR comes first."""
    got.drop_dead_results()
    want.drop_dead_results()
    if got.arguments != want.arguments:
        return f"arguments {got.arguments}, recorded {want.arguments}"
    for index, (mine, theirs) in enumerate(zip(got.calls, want.calls)):
        same_results = mine.results == theirs.results or not any(mine.results)
        if mine.target != theirs.target or not same_results or sorted(mine.operands) != sorted(theirs.operands):
            return f"op {index}: {mine}, recorded {theirs}"
    if len(got.calls) != len(want.calls):
        return f"{len(got.calls)} ops, recorded {len(want.calls)}"
    returns = [name for name in want.returns if name is not None]
    if got.returns != returns:
        return f"returns {got.returns}, recorded {returns}"
    return None


def normal_target(name):
    """An op's name without what one notation says and the other does not."""
    name = re.sub(r"^torch\.ops\.", "", name)
    name = re.sub(r"\.default$", "", name)
    return re.sub(r"^_c10d_functional\.", "c10d.", name)


# ---------------------------------------------------------------- FX text

DEFINITION = re.compile(r"^\s+def forward\(self,?(.*)\):\s*$")
ASSIGNMENT = re.compile(r"^\s+([A-Za-z_]\w*)\s*(?::\s*\"[^\"]*\")?\s*=\s*(.*)$")
ELEMENT = re.compile(r"^([A-Za-z_]\w*)\[(\d+)\]$")
TARGET = re.compile(r"^(torch\.ops\.[\w.]+)\(")
WORD = re.compile(r"(?<![\w.'\"])[A-Za-z_]\w*(?![\w.'\"(]|\s*=[^=])")


def read_fx(text):
    """The first function of a print_readable text."""
    function, names, constants, tuples = None, set(), set(), {}
    for line in text.split("\n"):
        line = re.sub(r"\s+#.*$", "", line)
        if found := DEFINITION.match(line):
            if function:
                break
            function = Function()
            parameters = re.sub(r"\"[^\"]*\"", "", found.group(1)).split(",")
            function.arguments = [p.split(":")[0].strip() for p in parameters if p.strip()]
            names.update(function.arguments)
        elif not function:
            continue
        elif line.strip().startswith("return "):
            inner = line.strip()[len("return ") :].strip().strip("()[]")
            parts = [part.strip() for part in inner.split(",") if part.strip()]
            function.returns = [None if part == "None" else part for part in parts]
        elif found := ASSIGNMENT.match(line):
            name, expression = found.group(1), found.group(2).split(";  ")[0].strip()
            if expression.startswith("self."):
                constants.add(name)
                continue
            if (element := ELEMENT.match(expression)) and element.group(1) in tuples:
                call, index = tuples[element.group(1)], int(element.group(2))
                # The name was the tuple's; now its elements have theirs.
                if call.results == [element.group(1)]:
                    call.results = []
                results = call.results
                results.extend([""] * (index + 1 - len(results)))
                results[index] = name
                names.add(name)
                continue
            target = TARGET.match(expression)
            operands = [word for word in WORD.findall(re.sub(r"'[^']*'", "", expression)) if word in names]
            call = Call(normal_target(target.group(1)) if target else "sym", operands, [name])
            tuples[name] = call
            names.add(name)
            function.calls.append(call)
    return function


# ---------------------------------------------------------------- Titan's IR

FUNCTION = re.compile(r"^\s*func\.func (?:private )?@([\w.]+)\((.*)$")
NAMED_ARGUMENT = re.compile(r"(%\w+): [^%]*?titan\.name = \"([^\"]*)\"")
OPERATION = re.compile(r"^\s+(?:(%[\w:#, %]+?) = )?([\w.]+)(.*)$")
NAMES = re.compile(r"titan\.names = \[([^\]]*)\]")
TORCH_OP = re.compile(r"^\s*\"([^\"]*)\"")


def read_mlir(text):
    """The functions of a module, by name."""
    functions, function, values = {}, None, {}
    for line in text.split("\n"):
        if found := FUNCTION.match(line):
            function, values = Function(), {}
            functions[found.group(1)] = function
            # Results have names too, behind the arrow.
            inputs = found.group(2).split(") -> ")[0]
            for value, name in NAMED_ARGUMENT.findall(inputs):
                values[value] = name
                function.arguments.append(name)
        elif function and line.strip().startswith("return"):
            operands = line.strip()[len("return") :].split(" : ")[0]
            function.returns = [values[v.strip()] for v in operands.split(",") if v.strip()]
        elif function and (found := OPERATION.match(line)):
            left, target, rest = found.groups()
            if target in ("module", "func.func"):
                continue
            names = NAMES.search(rest)
            results = [n.strip().strip('"') for n in names.group(1).split(",")] if names else []
            if target == "titan.torch_op":
                target = TORCH_OP.match(rest).group(1)
            elif target == "titan.sym":
                target, rest = "sym", rest[rest.index("(") :] if "(%" in rest else ""
            head = re.split(r" \{| : \(", rest)[0]
            operands = [values[v] for v in re.findall(r"%[\w#]+", head)]
            index = 0
            for group in (left or "").split(","):
                group = group.strip()
                if not group:
                    continue
                base, _, count = group.partition(":")
                for part in range(int(count or 1)):
                    name = results[index] if index < len(results) else group
                    values[f"{base}#{part}" if count else base] = name
                    index += 1
            function.calls.append(Call(normal_target(target), operands, results))
    return functions
