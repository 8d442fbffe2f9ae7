"""Makes the graphs of test/Inputs and records what PyTorch does to them.

  python3 record_graphs.py OUTPUT_DIR [NAME...]

Needs PyTorch (the files in the tree were made with 2.15.0); neither the build
nor the tests do. Each model of test/Inputs/models.py is traced by
torch.compile with fake tensors, and its folder gets:
  joint.txt    print_readable text of the graph handed to the partitioner
  golden.json  what the text does not carry (number of forward outputs, static
               inputs, hints of symbols, tags), and for each of PyTorch's
               partitioners the saved values in the order of the backward
               function's inputs
"""

import copy
import json
import os
import re
import sys

import torch
from functorch.compile import make_boxed_func
from torch._decomp import core_aten_decompositions
from torch._dynamo.backends.common import aot_autograd
from torch._functorch import partitioners
from torch._subclasses import FakeTensorMode

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "Inputs"))
from models import GRAPHS

def neutral(text):
    """Source lines without the paths of the machine that traced them."""
    text = re.sub(r"File: \S+?/models\.py:(\d+)", r"File: models.py:\1", text)
    text = re.sub(r"File: \S*/(torch/\S+?):", r"File: \1:", text)
    return "\n".join(line.rstrip() for line in text.split("\n")).strip() + "\n"


def runs(nodes):
    """partitioner_tag of every node, as runs [tag, first node, last node]."""
    out = []
    for node in nodes:
        tag = node.meta.get("partitioner_tag")
        if node.op == "output" or tag is None:
            continue
        if out and out[-1][0] == tag and out[-1][3] is node.prev:
            out[-1][2:] = [node.name, node]
        else:
            out.append([tag, node.name, node.name, node])
    return [run[:3] for run in out]


def tags(nodes):
    out = {}
    for node in nodes:
        entry = {}
        if node.meta.get("recompute") is not None:
            entry["recompute"] = node.meta["recompute"].name
        for key in ("ac_graph_id", "has_backward_hook", "saved_tensor_with_no_vc_check"):
            if node.meta.get(key) not in (None, False):
                entry[key] = node.meta[key]
        if entry:
            out[node.name] = entry
    return out


def run_partitioner(partition, joint, inputs, options):
    forward, backward = partition(copy.deepcopy(joint), inputs, **options)
    arguments = [n for n in backward.graph.nodes if n.op == "placeholder" and "tangents" not in n.name]
    # States of random generators appear only here, not in the joint graph.
    names = {n.name for n in joint.graph.nodes}
    tensors = [n for n in arguments if isinstance(n.meta.get("val"), torch.Tensor) and n.name in names]
    symbols = [n for n in arguments if isinstance(n.meta.get("val"), torch.SymInt)]
    ops = [n.name for n in forward.graph.nodes if n.op == "call_function"]
    return {
        "saved": [n.name for n in tensors],
        "saved_symints": [n.name for n in symbols],
        "saved_other": [n.name for n in arguments if n not in tensors and n not in symbols],
        "recomputed": [n.name for n in backward.graph.nodes if n.op == "call_function" and n.name in set(ops)],
    }


def record(name, folder):
    make, decompose, dynamic = GRAPHS[name]
    got = {}

    def partition(joint, inputs, **options):
        options = {k: options[k] for k in ("num_fwd_outputs", "static_lifetime_input_indices") if k in options}
        text = joint.print_readable(
            print_output=False, include_stride=True, include_device=True, expanded_def=True
        )
        nodes = list(joint.graph.nodes)
        env = torch._guards.detect_fake_mode(inputs).shape_env
        symbols = {str(s): int(v) for s, v in env.backed_var_to_val.items()} if env else {}
        got["text"] = neutral(text)
        got["golden"] = {
            "torch": torch.__version__.split("+")[0],
            "num_forward_outputs": options["num_fwd_outputs"],
            "static_inputs": list(options.get("static_lifetime_input_indices") or []),
            "nodes": len(nodes),
            "symbols": symbols if dynamic else {},
            "tags": tags(nodes),
            "partitioner_tags": runs(nodes),
            "partitioners": {
                "min-cut": run_partitioner(
                    partitioners.min_cut_rematerialization_partition, joint, inputs, options
                ),
                "default": run_partitioner(partitioners.default_partition, joint, inputs, options),
            },
        }
        return partitioners.default_partition(joint, inputs, **options)

    torch._dynamo.reset()
    compiler = lambda graph, inputs: make_boxed_func(graph.forward)
    backend = aot_autograd(
        fw_compiler=compiler,
        bw_compiler=compiler,
        partition_fn=partition,
        decompositions=core_aten_decompositions() if decompose else None,
    )
    with FakeTensorMode(), torch.fx.traceback.preserve_node_meta():
        model, inputs = make()
        inputs = [x.requires_grad_() if x.is_floating_point() and x.dim() > 2 else x for x in inputs]
        if dynamic:
            torch._dynamo.mark_dynamic(inputs[0], 0)
        torch.compile(model, backend=backend, dynamic=dynamic, fullgraph=True)(*inputs)
    where = os.path.join(folder, name)
    os.makedirs(where, exist_ok=True)
    with open(os.path.join(where, "joint.txt"), "w") as out:
        out.write(got["text"])
    with open(os.path.join(where, "golden.json"), "w") as out:
        json.dump(got["golden"], out, indent=1)
        out.write("\n")
    saved = {k: len(v["saved"]) for k, v in got["golden"]["partitioners"].items()}
    print(f"{name}: {got['golden']['nodes']} nodes, saved {saved}")


if __name__ == "__main__":
    torch.manual_seed(0)
    for graph in sys.argv[2:] or GRAPHS:
        record(graph, sys.argv[1])
