"""Times a training step on the CPU: PyTorch eager, torch.compile, titan-run.

  bench_cpu.py TITAN_RUN [--models=llama,gpt2,resnet18] [--threads=1,2]
               [--repeat=N] [--folder=FOLDER] [--titan-opt=TITAN_OPT]

Needs PyTorch. Each model's joint graph is traced by AOTAutograd, written to
FOLDER (a temporary one by default) as text with the inputs that PyTorch had,
and run by titan-run's compiled engine. One step is forward and backward; the
least of N is taken, in one process for each of the three. The outputs of
titan-run are held against PyTorch's; with --titan-opt, those of the split
program also against the joint function's, bit for bit. Prints a row for each model and number of
threads; exit code 0 if all numbers agree.
"""

import argparse
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
import time

try:
    import torch
    import torch.nn as nn
    import torch.nn.functional as F
except ImportError:
    print("PyTorch is not here: nothing to compare with")
    sys.exit(0)

from functorch.compile import make_boxed_func
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.partitioners import default_partition

# The part of the largest number of a result that may differ. In the last blocks
# of the ResNet 64 numbers a channel are normalised and cut at zero: two
# convolutions whose errors are those of f32 cut at different places, and what
# is cut weighs percents of a gradient.
TOLERANCE = {"llama": 1e-3, "gpt2": 1e-3, "resnet18": 5e-2}

DTYPES = {
    torch.float32: "F32",
    torch.int64: "I64",
    torch.bool: "BOOL",
    torch.float64: "F64",
}


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.weight


def rotate(x, cos, sin):
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


class LlamaLayer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = Norm(width), Norm(width)
        self.q, self.k, self.v, self.o = (nn.Linear(width, width, bias=False) for _ in range(4))
        hidden = 4 * width * 2 // 3 // 64 * 64
        self.w1, self.w3 = (nn.Linear(width, hidden, bias=False) for _ in range(2))
        self.w2 = nn.Linear(hidden, width, bias=False)

    def forward(self, x, cos, sin):
        batch, length, width = x.shape
        y = self.norm1(x)
        q, k, v = (m(y).view(batch, length, self.heads, -1).transpose(1, 2) for m in (self.q, self.k, self.v))
        y = F.scaled_dot_product_attention(rotate(q, cos, sin), rotate(k, cos, sin), v, is_causal=True)
        x = x + self.o(y.transpose(1, 2).reshape(batch, length, width))
        y = self.norm2(x)
        return x + self.w2(F.silu(self.w1(y)) * self.w3(y))


class Llama(nn.Module):
    def __init__(self, layers=4, width=512, heads=8, vocabulary=1024):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList(LlamaLayer(width, heads) for _ in range(layers))
        self.norm = Norm(width)
        self.out = nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens, targets, cos, sin):
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x, cos, sin)
        return F.cross_entropy(self.out(self.norm(x)).flatten(0, 1), targets.flatten())


class GptLayer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.o = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (t.view(batch, length, self.heads, -1).transpose(1, 2) for t in self.qkv(self.norm1(x)).split(width, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(y.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Gpt2(nn.Module):
    def __init__(self, layers=2, width=768, heads=12, vocabulary=50257, length=128):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.layers = nn.ModuleList(GptLayer(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens, targets):
        x = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1]))
        for layer in self.layers:
            x = layer(x)
        logits = self.norm(x) @ self.tokens.weight.t()
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.skip = nn.Sequential()
        if stride != 1 or inputs != outputs:
            self.skip = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = self.norm2(self.conv2(F.relu(self.norm1(self.conv1(x)))))
        return F.relu(y + self.skip(x))


class ResNet18(nn.Module):
    def __init__(self, classes=1000):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64)
        blocks, width = [], 64
        for outputs, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
            blocks += [Block(width, outputs, stride), Block(outputs, outputs, 1)]
            width = outputs
        self.blocks, self.out = nn.Sequential(*blocks), nn.Linear(512, classes)

    def forward(self, images, targets):
        x = F.max_pool2d(F.relu(self.norm(self.conv(images))), 3, 2, 1)
        x = self.blocks(x).mean((2, 3))
        return F.cross_entropy(self.out(x), targets)


def make_model(name):
    torch.manual_seed(0)
    if name == "llama":
        return Llama(), [
            torch.randint(0, 1024, (1, 256)),
            torch.randint(0, 1024, (1, 256)),
            torch.randn(256, 32),
            torch.randn(256, 32),
        ]
    if name == "gpt2":
        return Gpt2(), [torch.randint(0, 50257, (1, 128)), torch.randint(0, 50257, (1, 128))]
    return ResNet18(), [torch.randn(4, 3, 128, 128), torch.randint(0, 1000, (4,))]


def save(path, tensors):
    """Writes named tensors in the safetensors format."""
    header, blobs, offset = {}, [], 0
    for name, tensor in tensors.items():
        blob = tensor.detach().contiguous().numpy().tobytes()
        header[name] = {
            "dtype": DTYPES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [offset, offset + len(blob)],
        }
        blobs.append(blob)
        offset += len(blob)
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def trace(name, folder):
    """Writes the joint graph of one step, its inputs and its results."""
    model, inputs = make_model(name)

    def partition(joint, joint_inputs, **keywords):
        primals, tangents = joint_inputs
        names = [node.name for node in joint.graph.nodes if node.op == "placeholder"]
        values = [torch.empty(0) if v is None else v for v in [*primals, *tangents]]
        concrete = [torch.ones_like(v) if "tangents" in n else v for n, v in zip(names, values)]
        state["names"] = names
        state["fake"] = concrete
        state["joint"] = joint
        return default_partition(joint, joint_inputs, **keywords)

    state = {}

    def keep_inputs(graph, example):
        def run(arguments):
            state.setdefault("primals", [a.detach().clone() for a in arguments])
            return graph.forward(*arguments)

        run._boxed_call = True
        return run

    box = lambda graph, example: make_boxed_func(graph.forward)
    torch._dynamo.reset()
    step = torch.compile(model, backend=aot_autograd(fw_compiler=keep_inputs, bw_compiler=box, partition_fn=partition))
    loss = step(*inputs)
    loss.backward()
    names = state["names"]
    values = dict(zip(names, state["primals"]))
    for tangent in names[len(state["primals"]) :]:
        values[tangent] = torch.ones_like(loss)
    with open(os.path.join(folder, f"{name}.txt"), "w") as file:
        file.write(state["joint"].print_readable(print_output=False, include_stride=True, include_device=True))
    save(os.path.join(folder, f"{name}.safetensors"), values)
    results = state["joint"](
        [values[n] for n in names if "tangents" not in n], [values[n] for n in names if "tangents" in n]
    )
    flat = torch.utils._pytree.tree_leaves(results)
    save(
        os.path.join(folder, f"{name}.expected.safetensors"),
        {str(i): t for i, t in enumerate(flat) if isinstance(t, torch.Tensor)},
    )


def time_torch(name, threads, repeat, compiles):
    torch.set_num_threads(threads)
    model, inputs = make_model(name)
    torch._dynamo.reset()
    step = torch.compile(model) if compiles else model

    def once():
        model.zero_grad()
        step(*inputs).backward()

    start = time.perf_counter()
    once()
    first = time.perf_counter() - start
    once()
    least = math.inf
    for _ in range(repeat):
        start = time.perf_counter()
        once()
        least = min(least, time.perf_counter() - start)
    return least * 1e3, first


def time_titan(titan_run, name, threads, repeat, folder):
    path = os.path.join(folder, name)
    command = [
        titan_run,
        f"{path}.txt",
        "--engine=cpu",
        f"--inputs={path}.safetensors",
        f"--compare={path}.expected.safetensors",
        f"--tolerance={TOLERANCE[name]}",
        f"--repeat={repeat}",
    ]
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    found = re.search(r"compiled in (\d+) ms; .* least ([\d.]+) ms", done.stderr)
    if not found:
        print(done.stderr, file=sys.stderr)
        return math.inf, math.inf, False
    if done.returncode != 0:
        print(done.stderr, file=sys.stderr)
    return float(found[2]), float(found[1]) / 1e3, done.returncode == 0


def check_split(titan_opt, titan_run, name, folder):
    """Whether forward and then backward write the bytes that joint writes."""
    path = os.path.join(folder, name)
    split = f"{path}.split.mlir"
    subprocess.run(
        [titan_opt, f"{path}.txt", "--partitioner=min-cut", "-o", split], check=True, stderr=subprocess.DEVNULL
    )
    written = []
    for graph, functions in ((f"{path}.txt", "joint"), (split, "forward,backward")):
        outputs = f"{path}.{functions}.safetensors"
        command = [titan_run, graph, f"--function={functions}", "--engine=cpu"]
        command += [f"--inputs={path}.safetensors", f"--outputs={outputs}"]
        subprocess.run(command, check=True)
        with open(outputs, "rb") as file:
            written.append(file.read())
    if written[0] != written[1]:
        print(f"{name}: the split program's numbers are not the joint function's", file=sys.stderr)
    return written[0] == written[1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("titan_run")
    parser.add_argument("--models", default="llama,gpt2,resnet18")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--folder")
    parser.add_argument("--titan-opt")
    parser.add_argument("--only-titan", action="store_true")
    options = parser.parse_args()
    agrees = True
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or scratch
        os.makedirs(folder, exist_ok=True)
        print("| model | threads | eager, ms | compiled, ms | titan-run, ms | ratio to compiled | compile, s | titan compile, s |")
        print("|---|---:|---:|---:|---:|---:|---:|---:|")
        for name in options.models.split(","):
            if not os.path.exists(os.path.join(folder, f"{name}.txt")):
                trace(name, folder)
            if options.titan_opt:
                agrees &= check_split(options.titan_opt, options.titan_run, name, folder)
            for threads in map(int, options.threads.split(",")):
                eager = compiled = first = math.nan
                if not options.only_titan:
                    eager, _ = time_torch(name, threads, options.repeat, False)
                    compiled, first = time_torch(name, threads, options.repeat, True)
                ours, compile_time, equal = time_titan(
                    options.titan_run, name, threads, options.repeat, folder
                )
                agrees &= equal
                print(
                    f"| {name} | {threads} | {eager:.0f} | {compiled:.0f} | {ours:.0f} | {compiled / ours:.2f} | "
                    f"{first:.1f} | {compile_time:.1f} |",
                    flush=True,
                )
    return 0 if agrees else 1


if __name__ == "__main__":
    sys.exit(main())
