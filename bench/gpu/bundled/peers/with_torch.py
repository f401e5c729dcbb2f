"""The cases of timing.py in PyTorch; prints a line of JSON for each.

usage: with_torch.py full|small [DEVICE]
"""
import json
import sys
import time

import torch
from torch.nn import functional

SMALL = sys.argv[1] == 'small'
DEVICE = sys.argv[2] if len(sys.argv) > 2 else 'cuda'


def wait():
    if DEVICE == 'cuda':
        torch.cuda.synchronize()


def show(name, function, *arguments):
    """The least time of a call after two that warm up."""
    times = []
    for _ in range(4 if SMALL else 12):
        wait()
        start = time.perf_counter()
        function(*arguments)
        wait()
        times.append(time.perf_counter() - start)
    print(json.dumps({'name': name, 'microseconds': 1e6 * min(times[2:])}), flush=True)


def gradient(function):
    """By the adjoint of the result, which is the last argument."""
    def both(*arguments):
        *inputs, adjoint = arguments
        return torch.autograd.grad(function(*inputs), inputs, adjoint)
    return both


def leaf(*shape):
    return torch.rand(*shape, device=DEVICE, requires_grad=True)


def memory():
    n = 2**12 if SMALL else 2**28
    rows, columns = (64, 48) if SMALL else (16384, 16000)
    xs, ys = torch.rand(n, device=DEVICE), torch.rand(n, device=DEVICE)
    show('copy', torch.clone, xs)
    show('a x + y', lambda x, y: torch.add(y, x, alpha=2.0), xs, ys)
    show('sum', torch.sum, xs)
    show('arg-max', torch.argmax, xs)
    show('scan', lambda x: torch.cumsum(x, 0), xs)
    show('filter', lambda x: x[x > 0.5], xs)
    del xs, ys
    matrix = torch.rand(rows, columns, device=DEVICE)
    show('transposition', lambda x: x.T.contiguous(), matrix)
    show('sums of rows', lambda x: x.sum(1), matrix)
    show('sums of columns', lambda x: x.sum(0), matrix)
    keys = 2**12 if SMALL else 2**26
    values = torch.rand(keys, device=DEVICE)
    for bins in (16, 1000, 2000 if SMALL else 10**6):
        places = torch.randint(bins, (keys,), device=DEVICE)
        show(f'counts, {bins} bins', lambda p, b=bins: torch.bincount(p, minlength=b), places)
        zeros = torch.zeros(bins, device=DEVICE)
        show(f'weights, {bins} bins', lambda p, v, z=zeros: z.index_add(0, p, v), places, values)
    order = torch.randint(keys, (keys,), device=DEVICE)
    show('gather', lambda x, i: x[i], values, order)
    show('sort i32', lambda x: torch.sort(x).values, order.to(torch.int32))
    show('sort f32', lambda x: torch.sort(x).values, values)


def layers():
    side = 32 if SMALL else 4096
    torch.backends.cuda.matmul.allow_tf32 = False
    a, b, c = leaf(side, side), leaf(side, side), torch.rand(side, side, device=DEVICE)
    with torch.no_grad():
        show('product', torch.matmul, a, b)
    show('product, gradient', gradient(torch.matmul), a, b, c)
    count = 3 if SMALL else 64
    some = torch.rand(count, side // 8, side // 8, device=DEVICE)
    show('batch of products', torch.bmm, some, some)
    scale, shift = leaf(side), leaf(side)
    norm = lambda x, s, t: functional.layer_norm(x, (side,), s, t)
    with torch.no_grad():
        show('softmax, narrow', lambda x: torch.softmax(x, 1), torch.rand(4 * side, 32, device=DEVICE))
        show('softmax, wide', lambda x: torch.softmax(x, 1), c)
        show('layer norm', norm, a, scale, shift)
        show('convolution 3×3', functional.conv2d, c[None, None],
             torch.rand(1, 1, 3, 3, device=DEVICE))
    show('layer norm, gradient', gradient(norm), a, scale, shift, c)
    labels = torch.randint(side, (side,), device=DEVICE)
    show('cross entropy, gradient',
         lambda x, l: torch.autograd.grad(functional.cross_entropy(x, l), x), a, labels)
    heads, length, width = (2, 16, 8) if SMALL else (16, 2048, 64)
    q, k, v = (leaf(1, heads, length, width) for _ in range(3))
    attention = functional.scaled_dot_product_attention
    with torch.no_grad():
        show('attention', attention, q, k, v)
    show('attention, gradient', gradient(attention), q, k, v, torch.rand_like(q))


if __name__ == '__main__':
    memory()
    layers()
