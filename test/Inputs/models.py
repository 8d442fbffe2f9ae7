"""The models behind the graphs in this folder.

test/tools/record_graphs.py traces them; nothing in the build or the tests
imports this file.
"""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.fx.traceback import annotate
from torch.utils.checkpoint import (
    CheckpointPolicy,
    checkpoint,
    create_selective_checkpoint_contexts,
)

aten = torch.ops.aten
c10d = torch.ops._c10d_functional


# ---- Collectives as autograd functions, the way FSDP and TP call them --------


class AllGather(torch.autograd.Function):
    """Gathers a shard of a parameter; its gradient is scattered back."""

    @staticmethod
    def forward(ctx, shard, ranks, group):
        ctx.ranks, ctx.group = ranks, group
        return c10d.wait_tensor(c10d.all_gather_into_tensor(shard, ranks, group))

    @staticmethod
    def backward(ctx, grad):
        out = c10d.reduce_scatter_tensor(grad.contiguous(), "avg", ctx.ranks, ctx.group)
        return c10d.wait_tensor(out), None, None


class AllReduce(torch.autograd.Function):
    """Sums partial results; the gradient is already the same on every rank."""

    @staticmethod
    def forward(ctx, partial, group):
        return c10d.wait_tensor(c10d.all_reduce(partial, "sum", group))

    @staticmethod
    def backward(ctx, grad):
        return grad, None


class CopyToRanks(torch.autograd.Function):
    """The mirror image: hands the input on, sums its gradient."""

    @staticmethod
    def forward(ctx, x, group):
        ctx.group = group
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return c10d.wait_tensor(c10d.all_reduce(grad.contiguous(), "sum", ctx.group)), None


# ---- Models ------------------------------------------------------------------


class Norm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        scale = torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-5)
        return (x.float() * scale).to(x.dtype) * self.weight.to(x.dtype)


class Linear(nn.Module):
    """A bias-free linear layer whose weight may be sharded over `ranks`."""

    def __init__(self, dim_in, dim_out, ranks=1):
        super().__init__()
        self.ranks = ranks
        self.weight = nn.Parameter(torch.ones(dim_out // ranks, dim_in))

    def forward(self, x):
        weight = self.weight.to(x.dtype)
        if self.ranks > 1:
            weight = AllGather.apply(weight, self.ranks, "0")
        return x @ weight.t()


class Attention(nn.Module):
    def __init__(self, dim, heads, ranks, flash):
        super().__init__()
        self.heads, self.flash = heads, flash
        self.wq, self.wk, self.wv, self.wo = (Linear(dim, dim, ranks) for _ in range(4))

    def forward(self, x, cos, sin):
        def rotate(z):
            a, b = z.float().chunk(2, -1)
            return torch.cat([a * cos - b * sin, a * sin + b * cos], -1).to(z.dtype)

        b, t, d = x.shape
        q, k, v = (w(x).view(b, t, self.heads, -1).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        q, k = rotate(q), rotate(k)
        if self.flash:
            y = aten._scaled_dot_product_flash_attention(q, k, v, 0.0, True)[0]
        else:
            y = ((q @ k.transpose(-1, -2)) * q.shape[-1] ** -0.5).softmax(-1) @ v
        return self.wo(y.transpose(1, 2).reshape(b, t, d))


class FeedForward(nn.Module):
    def __init__(self, dim, hidden, ranks):
        super().__init__()
        self.w1, self.w3 = Linear(dim, hidden, ranks), Linear(dim, hidden, ranks)
        self.w2 = Linear(hidden, dim, ranks)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Block(nn.Module):
    def __init__(self, dim, heads, ranks, flash):
        super().__init__()
        self.attention = Attention(dim, heads, ranks, flash)
        self.feed_forward = FeedForward(dim, 3 * dim, ranks)
        self.attention_norm, self.ffn_norm = Norm(dim), Norm(dim)

    def forward(self, x, cos, sin):
        x = x + self.attention(self.attention_norm(x), cos, sin)
        return x + self.feed_forward(self.ffn_norm(x))


def alternate_matmuls():
    """Selective checkpointing as it is used: save every second matmul."""
    count = [0]

    def policy(ctx, op, *args, **kwargs):
        if op is aten.mm.default:
            count[0] += 1
            return CheckpointPolicy.MUST_SAVE if count[0] % 2 else CheckpointPolicy.PREFER_RECOMPUTE
        saved = op is aten._scaled_dot_product_flash_attention.default
        return CheckpointPolicy.MUST_SAVE if saved else CheckpointPolicy.PREFER_RECOMPUTE

    return create_selective_checkpoint_contexts(policy)


class Llama(nn.Module):
    def __init__(self, layers=2, dim=64, heads=4, vocabulary=128, ranks=1, flash=True, mode="none"):
        super().__init__()
        self.mode = mode
        self.tok_embeddings = nn.Embedding(vocabulary, dim)
        self.layers = nn.ModuleList(Block(dim, heads, ranks, flash) for _ in range(layers))
        self.norm, self.output = Norm(dim), Linear(dim, vocabulary, ranks)

    def forward(self, tokens, cos, sin):
        x = self.tok_embeddings(tokens).bfloat16()
        for i, layer in enumerate(self.layers):
            with annotate({"module_fqn": f"layers.{i}"}):
                if self.mode == "full":
                    x = checkpoint(layer, x, cos, sin, use_reentrant=False)
                elif self.mode == "selective":
                    x = checkpoint(layer, x, cos, sin, use_reentrant=False, context_fn=alternate_matmuls)
                else:
                    x = layer(x, cos, sin)
        return self.output(self.norm(x))


def llama(**options):
    def make():
        rope = torch.randn(64, 8)
        return Llama(**options), (torch.randint(0, 128, (2, 64)), rope, rope.clone())

    return make


class Dropout(nn.Module):
    def __init__(self, recompute):
        super().__init__()
        self.recompute = recompute
        self.up, self.down = nn.Linear(32, 128), nn.Linear(128, 32)

    def body(self, x):
        return F.dropout(self.down(F.dropout(F.gelu(self.up(x)), 0.1)), 0.2)

    def forward(self, x):
        for _ in range(2):
            x = x + (checkpoint(self.body, x, use_reentrant=False) if self.recompute else self.body(x))
        return x


class Convolution(nn.Module):
    """Running statistics: a forward that also writes to its buffers."""

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1)
        self.bn1, self.bn2 = nn.BatchNorm2d(8), nn.BatchNorm2d(8)
        self.head = nn.Linear(8, 10)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        x = F.relu(x + self.bn2(self.conv2(x)))
        return self.head(F.max_pool2d(x, 2).mean((2, 3)))


class TensorParallel(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = Norm(64)
        self.w1, self.w2 = Linear(64, 128), Linear(128, 64)

    def forward(self, x):
        for _ in range(2):
            y = CopyToRanks.apply(self.norm(x), "1")
            x = x + AllReduce.apply(self.w2(F.gelu(self.w1(y))), "1")
        return x


class Reshard(nn.Module):
    """Gathered weights are gathered again for the backward, nothing else is."""

    def __init__(self):
        super().__init__()
        self.weights = nn.ParameterList(torch.ones(16, 64) for _ in range(3))

    def forward(self, x):
        def full(weight):
            return AllGather.apply(weight.bfloat16(), 4, "0")

        x = x.bfloat16()
        for weight in self.weights:
            x = torch.tanh(x @ checkpoint(full, weight, use_reentrant=False))
        return x.sum()


class Tied(nn.Module):
    """One table for the embedding and the output, loss inside, two outputs."""

    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.ones(96, 48))

    def forward(self, tokens, labels):
        x = F.layer_norm(F.embedding(tokens, self.table), (48,))
        logits = x @ self.table.t()
        return F.cross_entropy(logits.flatten(0, 1), labels.flatten()), logits


class Router(nn.Module):
    """A router that sends each token to two of four experts."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(32, 4, bias=False)
        self.w1, self.w2 = nn.Parameter(torch.ones(4, 32, 64)), nn.Parameter(torch.ones(4, 64, 32))

    def forward(self, x):
        scores = F.softmax(self.gate(x), -1)
        weight, expert = scores.topk(2, -1)
        mask = torch.zeros_like(scores).scatter(1, expert, weight)
        hidden = F.silu(torch.einsum("td,edh->eth", x, self.w1))
        return torch.einsum("eth,ehd,te->td", hidden, self.w2, mask)


class Views(nn.Module):
    """Outputs that are views of one another and of an input."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(24, 24))

    def forward(self, x):
        y = (x @ self.weight).view(6, 4, 24)
        z = y.transpose(0, 1)
        return y.sin(), z[1:], torch.cat([z.exp(), z.cos()], -1).unsqueeze(0)


class Chain(nn.Module):
    """Pointwise ops far longer than the work between two matmuls."""

    def __init__(self):
        super().__init__()
        self.weights = nn.ParameterList(torch.ones(32, 32) for _ in range(3))

    def forward(self, x):
        for weight in self.weights:
            x = x @ weight
            for _ in range(6):
                x = torch.tanh(x) * x.sigmoid() + x.sin()
        return x


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(32, 64), nn.Linear(64, 16)

    def forward(self, x):
        return self.b(F.relu(self.a(x)))


class Reductions(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(40)), nn.Parameter(torch.zeros(40))

    def forward(self, x, mask):
        x = F.group_norm(x, 4, self.weight, self.bias)
        x = torch.where(mask, x, float("-inf")).log_softmax(-1)
        return torch.logsumexp(x, 1), x.amax(-1), x.var(1)


def batch(*shape):
    return torch.randn(*shape)


# Name: the model with its inputs, whether decomposed, whether the first
# dimension of the first input is symbolic.
GRAPHS = {
    "llama": (llama(layers=1), False, False),
    "llama-attention": (llama(layers=1, flash=False), True, False),
    "llama-fsdp": (llama(ranks=4), False, False),
    "llama-selective": (llama(mode="selective"), False, False),
    "llama-checkpoint": (llama(mode="full"), False, False),
    "dropout": (lambda: (Dropout(False), (batch(16, 32),)), False, False),
    "dropout-checkpoint": (lambda: (Dropout(True), (batch(16, 32),)), False, False),
    "convolution": (lambda: (Convolution(), (batch(2, 3, 16, 16),)), False, False),
    "tensor-parallel": (lambda: (TensorParallel(), (batch(8, 64),)), False, False),
    "reshard": (lambda: (Reshard(), (batch(8, 64),)), False, False),
    "tied": (lambda: (Tied(), (torch.randint(0, 96, (2, 16)), torch.randint(0, 96, (2, 16)))), True, False),
    "router": (lambda: (Router(), (batch(16, 32),)), True, False),
    "views": (lambda: (Views(), (batch(24, 24),)), False, False),
    "chain": (lambda: (Chain(), (batch(16, 32),)), False, False),
    "dynamic": (lambda: (Mlp(), (batch(12, 32),)), True, True),
    "reductions": (lambda: (Reductions(), (batch(4, 40, 8), torch.ones(4, 40, 8, dtype=torch.bool))), True, False),
}
