"""Runs training steps with and without a plan and holds them against each other.

    titan_plan_test.py TITAN_OPT

Needs PyTorch; without it says so and exits with 77, which ctest counts as skipped.
For every model: PyTorch records the joint graph (as a TORCH_TRACE log, in a process
of its own), titan-opt plans it, and the step runs again with the plan. Loss and
every gradient must be equal bit for bit, the saved values must be the plan's, and
their bytes the report's. Docs/Integration.md has the results of a run by hand.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import torch
except ImportError:
    print("skipped: PyTorch is not installed")
    sys.exit(77)

import torch.nn as nn
import torch.nn.functional as F
from torch._dynamo.backends.common import aot_autograd
from torch._functorch import partitioners
from torch.utils.checkpoint import checkpoint
from functorch.compile import make_boxed_func

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import titan_plan  # noqa: E402


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.weight


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm_1, self.norm_2 = Norm(width), nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        qkv = self.qkv(self.norm_1(x)).view(batch, length, 3, self.heads, -1)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        scores = (q @ k.transpose(-1, -2)) * (width // self.heads) ** -0.5
        attention = (scores.softmax(-1) @ v).transpose(1, 2).reshape(x.shape)
        x = x + self.out(attention)
        return x + self.down(F.gelu(self.up(self.norm_2(x))))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(64, 32)
        self.blocks = nn.ModuleList(Block(32, 4) for _ in range(2))
        self.head = nn.Linear(32, 64)

    def forward(self, tokens, targets):
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x)
        return F.cross_entropy(self.head(x).flatten(0, 1), targets.flatten())


class Convolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        self.second = nn.Conv2d(8, 8, 3, stride=2)
        self.head = nn.Linear(8, 5)

    def forward(self, images, targets):
        x = F.silu(self.first(images))
        x = F.max_pool2d(torch.tanh(self.second(x)), 2)
        return F.cross_entropy(self.head(x.mean((2, 3))), targets)


class Dropout(nn.Module):
    """Draws that the tags of a checkpoint ask to repeat, and one that none does."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(16, 32), nn.Linear(32, 16)
        self.head = nn.Linear(16, 5)

    def feed(self, x):
        x = F.dropout(F.gelu(self.first(x)), 0.3)
        return F.dropout(torch.tanh(self.second(x)), 0.2)

    def forward(self, x, targets):
        x = x + checkpoint(self.feed, x, use_reentrant=False)
        x = x + checkpoint(self.feed, F.dropout(x, 0.1), use_reentrant=False)
        return F.cross_entropy(self.head(x), targets)


class Dynamic(nn.Module):
    """Sizes that only a run knows, some of which the backward needs."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(32, 16)
        self.inner, self.head = nn.Linear(16, 16), nn.Linear(16, 32)

    def forward(self, tokens, targets):
        x = self.embedding(tokens)
        x = x - x.mean(1, keepdim=True)
        x = torch.cat([x, torch.tanh(self.inner(x))], 1)
        x = x.view(x.shape[0], 2, -1, 16).sum(1) / x.shape[1]
        return F.cross_entropy(self.head(x).flatten(0, 1), targets.flatten())


def make_case(name):
    torch.manual_seed(7)
    if name == "dropout":
        return Dropout(), (torch.randn(6, 16), torch.randint(0, 5, (6,)))
    if name == "dynamic":
        tokens = torch.randint(0, 32, (3, 10))
        return Dynamic(), (tokens, tokens.roll(1, 1))
    if name == "transformer":
        tokens = torch.randint(0, 64, (2, 16))
        return Transformer(), (tokens, tokens.roll(1, 1))
    return Convolution(), (torch.randn(2, 3, 16, 16), torch.tensor([1, 3]))


CASES = ("transformer", "convolution", "dropout", "dynamic")


def step(name, backend):
    """Loss and gradients of one compiled step."""
    torch._dynamo.reset()
    model, inputs = make_case(name)
    options = {"dynamic": True} if name == "dynamic" else {}
    loss = torch.compile(model, backend=backend, fullgraph=True, **options)(*inputs)
    loss.backward()
    gradients = {key: p.grad for key, p in model.named_parameters()}
    return loss.detach(), gradients


def eager_kernels(partition_fn):
    box = lambda module, inputs: make_boxed_func(module.forward)
    return aot_autograd(fw_compiler=box, bw_compiler=box, partition_fn=partition_fn)


def is_random_state(node):
    draw = torch._prims.rng_prims.run_and_save_rng_state
    return any(source.target is draw for source in node.all_input_nodes)


def find_root(node):
    """The value whose memory `node` shares."""
    while getattr(node.target, "is_view", False):
        node = node.args[0]
    return node


class Watch:
    """Notes what a partition function lets the forward save."""

    def __init__(self, partition_fn):
        self.partition_fn = partition_fn

    def __call__(self, gm, inputs, *, num_fwd_outputs, **kwargs):
        self.roots = {n.name: find_root(n).name for n in gm.graph.nodes}
        forward, backward = self.partition_fn(
            gm, inputs, num_fwd_outputs=num_fwd_outputs, **kwargs
        )
        (output,) = forward.graph.find_nodes(op="output")
        saved = output.args[0][num_fwd_outputs:]
        # The states of paired draws are PyTorch's addition to the plan.
        states = [n for n in saved if is_random_state(n)]
        saved = [n for n in saved if n not in states]
        self.saved, self.states = [n.name for n in saved], len(states)
        # PyTorch counts a byte a symbol (_size_of), and so does the report.
        self.bytes = sum(partitioners._size_of(n) for n in saved)
        return forward, backward


def record(name, backend, directory):
    """The joint graph as PyTorch logs it, from a process of its own."""
    trace = directory / "trace"
    subprocess.run(
        [sys.executable, __file__, "--record", name, backend],
        env={**os.environ, "TORCH_TRACE": str(trace)},
        check=True,
        capture_output=True,
    )
    (log,) = trace.glob("*.log")
    return log


def collect_hints(name):
    """The size that each symbol had while the graph was traced, which the log
    does not carry."""
    hints = {}

    def partition(gm, inputs, **kwargs):
        for node in gm.graph.find_nodes(op="placeholder"):
            if isinstance(node.meta["val"], torch.SymInt):
                hints[str(node.meta["val"].node.expr)] = node.meta["val"].node.hint
        return partitioners.default_partition(gm, inputs, **kwargs)

    step(name, eager_kernels(partition))
    return hints


def plan(titan_opt, log, directory, arguments, hints=None):
    info = directory / "info.json"
    info.write_text(json.dumps({"symbols": hints or {}}))
    arguments = [f"--graph-info={info}", *arguments]
    path, report = directory / "plan.json", directory / "report.json"
    common = [titan_opt, str(log), "--quiet", *arguments]
    subprocess.run([*common, "--emit=plan", "-o", path, f"--report={report}"], check=True)
    return titan_plan.load(path), json.loads(report.read_text())


def expect(condition, message):
    if not condition:
        sys.exit(f"FAILED: {message}")


def compare(name, way, expected, actual):
    (loss, gradients), (other_loss, other_gradients) = expected, actual
    expect(torch.equal(loss, other_loss), f"{name}, {way}: the loss differs")
    for key, gradient in gradients.items():
        expect(
            torch.equal(gradient, other_gradients[key]),
            f"{name}, {way}: the gradient of {key} differs",
        )
    return len(gradients)


def check_partition_fn(name, made, report, baseline):
    partition_fn = titan_plan.PartitionFn(made)
    watch = Watch(partition_fn)
    count = compare(name, "PartitionFn", baseline, step(name, eager_kernels(watch)))
    expect(partition_fn.applied == 1, f"{name}: the plan was not applied")
    expect(
        sorted(watch.saved) == sorted(made.saved),
        f"{name}, PartitionFn: saved {sorted(set(watch.saved) ^ set(made.saved))}",
    )
    bytes = report["partition"]["saved_bytes"]
    expect(watch.bytes == bytes, f"{name}: {watch.bytes} bytes saved, {bytes} reported")
    print(
        f"{name}, {report['partition']['compat']}, PartitionFn: loss and {count} gradients "
        f"equal, {len(watch.saved)} values saved, {watch.bytes} bytes"
    )


def check_joint_pass(name, made, report, baseline):
    joint_pass = titan_plan.JointPass(made)

    def partition(gm, inputs, **kwargs):
        joint_pass(gm.graph)
        return partitioners.min_cut_rematerialization_partition(gm, inputs, **kwargs)

    watch = Watch(partition)
    count = compare(name, "JointPass", baseline, step(name, eager_kernels(watch)))
    differing = sorted(set(watch.saved) ^ set(made.saved))
    # PyTorch passes over tags on views: where a plan saves a view, it saves what is
    # viewed, or another view of it.
    roots = lambda names: {watch.roots[n] for n in names}
    other = sorted(roots(watch.saved) ^ roots(made.saved))
    expect(not other, f"{name}, JointPass: {other} are not saved alike")
    bytes = report["partition"]["saved_bytes"]
    expect(watch.bytes == bytes, f"{name}: {watch.bytes} bytes, {bytes} reported")
    print(
        f"{name}, {report['partition']['compat']}, JointPass: loss and {count} gradients "
        f"equal, {len(watch.saved)} values saved, {watch.bytes} bytes, "
        f"{len(differing)} differ from the plan"
    )


def check_inductor(name, titan_opt):
    import torch._inductor.config as inductor

    with tempfile.TemporaryDirectory() as scratch:
        log = record(name, "inductor", Path(scratch))
        made, _ = plan(titan_opt, log, Path(scratch), ["--partitioner=min-cut"])

    with inductor.patch(force_disable_caches=True):
        baseline = step(name, "inductor")
    joint_pass = titan_plan.JointPass(made)
    with inductor.patch(force_disable_caches=True, joint_custom_pre_pass=joint_pass):
        loss, gradients = step(name, "inductor")
    expect(joint_pass.applied == 1, f"{name}: Inductor did not run the plan's pass")
    count = compare(name, "Inductor", baseline, (loss, gradients))
    print(f"{name}, Inductor: loss and {count} gradients equal")


def check_stale(name, made):
    """Another graph is refused before anything is touched."""
    for apply in (titan_plan.PartitionFn(made), titan_plan.JointPass(made)):
        touched = []

        def partition(gm, inputs, **kwargs):
            before = [dict(n.meta) for n in gm.graph.nodes]
            try:
                if isinstance(apply, titan_plan.JointPass):
                    apply(gm.graph)
                else:
                    apply(gm, inputs, **kwargs)
            except titan_plan.StalePlan as error:
                touched.append(before != [dict(n.meta) for n in gm.graph.nodes])
                text = str(error)
                expect("differ first at node" in text, f"unclear refusal: {text}")
                expect("nodes, this one has" in text, f"refusal without counts: {text}")
            return partitioners.default_partition(gm, inputs, **kwargs)

        step(name, eager_kernels(partition))
        expect(touched == [False], "a stale plan was not refused cleanly")
    print(f"{name}: a plan for another graph is refused by both ways")


def main(titan_opt):
    plans = {}
    for name in CASES:
        baseline = step(name, eager_kernels(partitioners.default_partition))
        with tempfile.TemporaryDirectory() as scratch:
            log = record(name, "kernels", Path(scratch))
            hints = collect_hints(name)
            for compat in ("titan", "pytorch"):
                arguments = ["--partitioner=min-cut", f"--compat={compat}"]
                made, report = plan(titan_opt, log, Path(scratch), arguments, hints)
                check_partition_fn(name, made, report, baseline)
                check_joint_pass(name, made, report, baseline)
                plans[name] = made
    check_stale(CASES[0], plans[CASES[1]])
    check_inductor(CASES[0], titan_opt)
    print("passed")


if __name__ == "__main__":
    if sys.argv[1] == "--record":
        kernels = eager_kernels(partitioners.default_partition)
        step(sys.argv[2], {"kernels": kernels, "inductor": "inductor"}[sys.argv[3]])
    else:
        main(sys.argv[1])
