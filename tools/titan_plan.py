"""Applies a plan of titan-opt inside a training program. Needs PyTorch alone.

A plan (`titan-opt GRAPH --partitioner=min-cut --emit=plan -o plan.json`) says of
every value of the forward that the backward needs whether it is saved or
recomputed.
There are two ways to apply it:

    import titan_plan
    plan = titan_plan.load("plan.json")

    # The whole split is the plan's, with any compiler behind AOTAutograd:
    backend = aot_autograd(fw_compiler=..., bw_compiler=...,
                           partition_fn=titan_plan.PartitionFn(plan))

    # Inductor with its own partitioner, which gets the plan as tags:
    torch._inductor.config.joint_custom_pre_pass = titan_plan.JointPass(plan)

Both hold the plan's graph against the one that is being compiled, node by node,
before they touch anything, and raise StalePlan with the first node that differs.
`only_matching=True` passes a graph that is not the plan's on unchanged instead:
for programs of several graphs.

    python titan_plan.py show plan.json
"""

import hashlib
import json
import sys
from dataclasses import dataclass

import torch
import torch.fx
from torch._inductor.custom_graph_pass import CustomGraphPass, CustomPartitionerFn

SCHEMA = "titan.plan/1"


class StalePlan(RuntimeError):
    """The plan was made for another graph."""


class UnsupportedPlan(RuntimeError):
    """The plan is this graph's, but PyTorch cannot run what it asks for."""


# ---------------------------------------------------------------------------
# The graph, described as titan-opt describes it (docs/Report.md, "Fingerprint")
# ---------------------------------------------------------------------------

_DTYPES = {
    torch.float64: "f64",
    torch.float32: "f32",
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.complex32: "c32",
    torch.complex64: "c64",
    torch.complex128: "c128",
    torch.bool: "b8",
    torch.uint8: "u8",
    torch.int8: "i8",
    torch.int16: "i16",
    torch.int32: "i32",
    torch.int64: "i64",
}
for _width in (16, 32, 64):
    if hasattr(torch, f"uint{_width}"):
        _DTYPES[getattr(torch, f"uint{_width}")] = f"u{_width}"


def _dtype_name(dtype):
    if dtype in _DTYPES:
        return _DTYPES[dtype]
    # torch.float8_e4m3fn is f8e4m3fn.
    return str(dtype).removeprefix("torch.").replace("float", "f").replace("_", "")


def _describe_type(value):
    if isinstance(value, torch.Tensor):
        # An int, a constant expression; anything else is a symbol's.
        sizes = (str(size) for size in value.shape)
        shape = ", ".join(s if s.lstrip("-").isdigit() else "?" for s in sizes)
        return f"{_dtype_name(value.dtype)}[{shape}]"
    if isinstance(
        value, (torch.SymInt, torch.SymFloat, torch.SymBool, int, float, bool)
    ):
        return "Sym"
    return "other"


def _is_getitem(node):
    return (
        node.op == "call_function"
        and getattr(node.target, "__name__", "") == "getitem"
        and isinstance(node.args[0], torch.fx.Node)
        and isinstance(node.args[0].meta.get("val"), (tuple, list))
    )


def _is_subgraph(node):
    owner = node.graph.owning_module
    return owner is not None and isinstance(
        getattr(owner, node.target, None), torch.fx.GraphModule
    )


def _nodes_in(argument):
    """The graph values among the arguments of a call, in order."""
    found = []
    torch.fx.map_arg(argument, found.append)
    return [n for n in found if not (n.op == "get_attr" and _is_subgraph(n))]


def _target_name(target):
    if isinstance(target, torch._ops.OpOverload):
        return str(target)
    if isinstance(target, torch._ops.HigherOrderOperator):
        return f"higher_order.{target.name()}"
    # operator.add, math.floor, torch.sym_max: arithmetic on symbols.
    return "sym"


def _describe_results(node):
    value = node.meta.get("val")
    if value is not None and not isinstance(value, (tuple, list)):
        return f"{node.name}: {_describe_type(value)}"
    elements = {}
    for user in node.users:
        if _is_getitem(user) and user.args[0] is node:
            elements.setdefault(user.args[1], user)
    parts = (
        f"{i} {u.name}: {_describe_type(u.meta.get('val'))}"
        for i, u in sorted(elements.items())
    )
    return f"{node.name}: ({', '.join(parts)})"


def describe(graph):
    """The lines that stand for `graph` in a plan."""
    lines = []
    for node in graph.nodes:
        if node.op == "placeholder":
            lines.append(f"{node.name}: {_describe_type(node.meta.get('val'))}")
        elif node.op == "call_function" and not _is_getitem(node):
            arguments = _nodes_in(node.args)
            for name in sorted(node.kwargs):
                arguments += _nodes_in(node.kwargs[name])
            names = ", ".join(a.name for a in arguments)
            target = _target_name(node.target)
            lines.append(f"{_describe_results(node)} = {target}({names})")
        elif node.op == "output":
            results = list(torch.utils._pytree.tree_leaves(node.args[0]))
            names = [r.name if isinstance(r, torch.fx.Node) else "None" for r in results]
            while names and names[-1] == "None":
                names.pop()
            lines.append(f"return ({', '.join(names)})")
    return lines


def fingerprint(lines):
    text = "".join(line + "\n" for line in lines)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


# ---------------------------------------------------------------------------
# The plan
# ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """A plan as its file says it."""

    path: str
    fingerprint: str
    nodes: tuple
    # Names of the saved values in the order of the backward's inputs.
    saved: tuple
    saved_bytes: int
    # Value name to "save" or "recompute", what the forward computes and the
    # backward needs.
    values: dict
    # What the graph computes twice and the plan once: name of what goes to the name
    # of the equal value that stands for it.
    merged: dict
    digest: str

    def matches(self, graph):
        return fingerprint(describe(graph)) == self.fingerprint

    def check(self, graph):
        """Raises StalePlan unless `graph` is the one the plan was made for."""
        lines = describe(graph)
        if fingerprint(lines) == self.fingerprint:
            return
        counts = (
            f"the plan's graph has {len(self.nodes)} nodes, "
            f"this one has {len(lines)}"
        )
        missing = "(the graph ends here)"
        for i in range(max(len(lines), len(self.nodes))):
            planned = self.nodes[i] if i < len(self.nodes) else missing
            actual = lines[i] if i < len(lines) else missing
            if planned != actual:
                raise StalePlan(
                    f"plan '{self.path}' was made for another graph: {counts}; "
                    f"they differ first at node {i}\n"
                    f"  plan:  {planned}\n"
                    f"  graph: {actual}\n"
                    "Nothing was changed. Record the graph again and plan again."
                )
        raise StalePlan(
            f"plan '{self.path}' does not agree with its own fingerprint: "
            "the file was edited or cut; plan again"
        )


def load(path):
    """Reads the plan at `path`."""
    with open(path, "rb") as file:
        data = file.read()
    try:
        plan = json.loads(data)
    except ValueError as error:
        raise StalePlan(f"'{path}' is no plan: {error}") from None
    found = plan.get("schema") if isinstance(plan, dict) else None
    if found != SCHEMA:
        raise StalePlan(f"'{path}' is no plan: expected schema '{SCHEMA}', found {found!r}")
    return Plan(
        path=str(path),
        fingerprint=plan["fingerprint"],
        nodes=tuple(plan["nodes"]),
        saved=tuple(value["name"] for value in plan["saved"]),
        saved_bytes=plan["saved_bytes"],
        values=plan["values"],
        merged=plan.get("merged", {}),
        digest=hashlib.sha256(data).hexdigest(),
    )


# ---------------------------------------------------------------------------
# Applying it
# ---------------------------------------------------------------------------


class JointPass(CustomGraphPass):
    """Inductor's `joint_custom_pre_pass`: writes the plan as policies, so that
    PyTorch's own partitioner follows it. Its rules still hold: what a backward
    op must have in memory, or what may not run twice, it saves nevertheless."""

    def __init__(self, plan, *, only_matching=False):
        self.plan = plan
        self.only_matching = only_matching
        self.applied = 0

    def __call__(self, graph):
        if self.only_matching and not self.plan.matches(graph):
            return
        self.plan.check(graph)
        policies = torch.utils.checkpoint.CheckpointPolicy
        for node in graph.nodes:
            if node.op != "call_function":
                continue
            name = self.plan.merged.get(node.name, node.name)
            choice = self.plan.values.get(name)
            if choice is None and isinstance(node.meta.get("val"), (tuple, list)):
                # A tuple has no fate of its own; its elements do.
                choices = {
                    self.plan.values[user.name]
                    for user in node.users
                    if user.name in self.plan.values
                }
                choice = "recompute" if choices == {"recompute"} else None
            if choice is not None:
                node.meta["recompute"] = (
                    policies.MUST_SAVE if choice == "save" else policies.MUST_RECOMPUTE
                )
            # One region, with the program's own tags: an edge between regions would
            # force a save.
            if "recompute" in node.meta:
                node.meta["ac_graph_id"] = 0
        self.applied += 1

    def uuid(self):
        # Part of the key of Inductor's cache: another plan is another program.
        return ("titan_plan.JointPass", self.plan.digest, self.only_matching)


class PartitionFn(CustomPartitionerFn):
    """AOTAutograd's `partition_fn`: splits exactly where the plan says."""

    def __init__(self, plan, *, only_matching=False):
        self.plan = plan
        self.only_matching = only_matching
        self.applied = 0

    def __call__(
        self,
        gm,
        joint_inputs,
        *,
        num_fwd_outputs,
        static_lifetime_input_indices=None,
        **kwargs,
    ):
        from torch._functorch import partitioners

        if self.only_matching and not self.plan.matches(gm.graph):
            return partitioners.min_cut_rematerialization_partition(
                gm,
                joint_inputs,
                num_fwd_outputs=num_fwd_outputs,
                static_lifetime_input_indices=static_lifetime_input_indices,
                **kwargs,
            )
        self.plan.check(gm.graph)
        tensors, symbols, objects = _sort_saved(gm.graph, self.plan)
        _merge(gm.graph, self.plan)
        placeholders = [n for n in gm.graph.nodes if n.op == "placeholder"]
        static = {placeholders[i] for i in static_lifetime_input_indices or ()}
        # Adds the symbols that bind the shapes of what is saved to `symbols`.
        forward, backward = partitioners._extract_fwd_bwd_modules(
            gm,
            tensors,
            symbols,
            objects,
            num_fwd_outputs=num_fwd_outputs,
            static_lifetime_input_nodes=static,
        )
        forward, backward = _pair_draws(gm, forward, backward, len(symbols), self.plan)
        backward = partitioners.reordering_to_mimic_autograd_engine(backward)
        forward = partitioners.raise_getitems(forward)
        backward = partitioners.raise_getitems(backward)
        self.applied += 1
        return forward, backward

    def uuid(self):
        return ("titan_plan.PartitionFn", self.plan.digest, self.only_matching)


def _sort_saved(graph, plan):
    """What the plan saves, as PyTorch passes it on: tensors, numbers, objects."""
    from torch._functorch import partitioners

    by_name = {node.name: node for node in graph.nodes}
    tensors, symbols, objects = [], [], []
    for name in plan.saved:
        if name not in by_name:
            raise StalePlan(
                f"plan '{plan.path}' saves '{name}', which the graph does not have; "
                "plan again"
            )
        node = by_name[name]
        if partitioners.is_sym_node(node):
            symbols.append(node)
        elif partitioners.is_opaque_node(node):
            objects.append(node)
        elif _is_tensor(node) or partitioners._is_backward_state(node):
            # The state of the backward's hooks is an input of its own; PyTorch takes
            # it out of the list.
            tensors.append(node)
        else:
            found = type(node.meta.get("val")).__name__
            raise UnsupportedPlan(
                f"plan '{plan.path}' saves '{name}', a {found}: PyTorch passes only "
                "tensors, numbers and script objects from the forward to the backward; "
                "plan with '--compat=pytorch'"
            )
    return tensors, symbols, objects


def _merge(graph, plan):
    """Lets one value stand for those that the plan found equal to it, as PyTorch's
    partitioner merges them: of these the plan saves or recomputes the one."""
    by_name = {node.name: node for node in graph.nodes}
    for name, by in plan.merged.items():
        for missing in {name, by} - by_name.keys():
            raise StalePlan(
                f"plan '{plan.path}' lets '{by}' stand for '{name}', but the graph has "
                f"no '{missing}'; plan again"
            )
    for name, by in plan.merged.items():
        by_name[name].replace_all_uses_with(by_name[by])


def _is_tensor(node):
    return isinstance(node.meta.get("val"), torch.Tensor)


def _pair_draws(gm, forward, backward, num_symbols, plan):
    """Gives each random draw that runs in both functions one state. PyTorch's own
    pairing does it, which asks the tags what is recomputed; here the plan says it."""
    from torch._functorch import partitioners

    def calls(module):
        return {n.name: n for n in module.graph.nodes if n.op == "call_function"}

    again = calls(backward)
    names = [name for name in calls(forward) if name in again]
    for name in names:
        if _draws_inside(again[name], backward):
            raise UnsupportedPlan(
                f"plan '{plan.path}' recomputes '{name}', whose subgraph draws random "
                "numbers: PyTorch has no state for them; tag it to be saved and plan "
                "again"
            )
    draws = [name for name in names if partitioners.is_rng_op(again[name])]
    if not draws:
        return forward, backward
    if not any("tangent" in n.name for n in backward.graph.find_nodes(op="placeholder")):
        raise UnsupportedPlan(
            f"plan '{plan.path}' recomputes '{draws[0]}', which draws random numbers, in "
            "a backward without tangents: PyTorch has no place for its state; tag it to "
            "be saved and plan again"
        )
    # Only for the call: the graph is the caller's.
    nodes = [n for n in gm.graph.nodes if n.op == "call_function"]
    tags = [(n, n.meta["recompute"]) for n in nodes if "recompute" in n.meta]
    try:
        for node, _ in tags:
            del node.meta["recompute"]
        for node in nodes:
            if node.name in draws:
                policies = torch.utils.checkpoint.CheckpointPolicy
                node.meta["recompute"] = policies.MUST_RECOMPUTE
        return partitioners.functionalize_rng_ops(gm, forward, backward, num_symbols)
    finally:
        for node in nodes:
            node.meta.pop("recompute", None)
        for node, tag in tags:
            node.meta["recompute"] = tag


def _draws_inside(node, module):
    """Whether a subgraph that `node` calls draws random numbers."""
    from torch._functorch import partitioners

    if not isinstance(node.target, torch._ops.HigherOrderOperator):
        return False
    bodies = [
        getattr(module, argument.target, None)
        for argument in node.all_input_nodes
        if argument.op == "get_attr"
    ]
    return any(
        partitioners.is_rng_op(inner) or _draws_inside(inner, body)
        for body in bodies
        if isinstance(body, torch.fx.GraphModule)
        for inner in body.graph.nodes
        if inner.op == "call_function"
    )


def main(arguments):
    if len(arguments) != 2 or arguments[0] != "show":
        sys.exit("usage: titan_plan.py show plan.json")
    plan = load(arguments[1])
    print(f"{len(plan.nodes)} nodes, {plan.fingerprint}")
    print(f"saves {len(plan.saved)} values, {plan.saved_bytes} bytes")
    for name in plan.saved:
        print(f"  {name}")


if __name__ == "__main__":
    main(sys.argv[1:])
