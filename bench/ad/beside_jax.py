#!/usr/bin/env python3
"""Primals and gradients of programs in this folder beside JAX, on the same data and one thread.

usage: beside_jax.py [--dagaz COMMAND] [--seconds S] [PROGRAM ...]

Needs `pip install jax`.  Each program is written for JAX as its users would: batched, with `einsum`
and `scan`, compiled by `jit`.  The two run in turn, in one process; times are the least of the
processor times of the runs that fit in S seconds.  `difference` is the largest between the results,
over the largest result.
"""
import os
import tempfile
import time

os.environ['JAX_ENABLE_X64'] = '1'
os.environ['XLA_FLAGS'] = '--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1'
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

import programs  # noqa: E402
from programs import library  # noqa: E402


def gmm(alpha, mu, q, l, x):
    """GradBench's objective with gamma = 1 and m = 0."""
    n, d = x.shape
    k = alpha.shape[0]
    columns, rows = np.triu_indices(d, 1)
    factor = jnp.zeros((k, d, d)).at[:, rows, columns].set(l)
    factor = factor.at[:, np.arange(d), np.arange(d)].set(jnp.exp(q))
    determinants = q.sum(1)
    distances = (jnp.einsum('kij,nkj->nki', factor, x[:, None, :] - mu) ** 2).sum(2)
    likelihood = jax.nn.logsumexp(alpha + determinants - 0.5 * distances, axis=1).sum()
    constant = n * (0.5 * d * np.log(2 * np.pi) + jax.nn.logsumexp(alpha))
    freedom = d + 1
    log_gamma = 0.25 * d * (d - 1) * np.log(np.pi) + \
        jax.scipy.special.gammaln(0.5 * freedom - 0.5 * np.arange(d)).sum()
    prior = k * (-0.5 * freedom * d * np.log(2) - log_gamma) - 0.5 * (factor ** 2).sum()
    return likelihood - constant + prior


def kmeans(points, centres):
    """The squared distances as |p|² - 2 p·c + |c|², which is a product of matrices."""
    distances = (points ** 2).sum(1)[:, None] - 2 * points @ centres.T + (centres ** 2).sum(1)
    return distances.min(1).sum()


def newton(points, centres):
    def step(centres, _):
        slope, curvature = jax.jvp(lambda c: jax.grad(kmeans, 1)(points, c), (centres,),
                                   (jnp.ones_like(centres),))
        safe = jnp.where(curvature == 0, 1, curvature)
        return jnp.where(curvature == 0, centres, centres - slope / safe), None
    return jax.lax.scan(step, centres, length=10)[0]


def lstm(wi, wh, b, x):
    n, bs, _ = x.shape
    h = wh.shape[1]

    def step(carried, row):
        hidden, memory, total = carried
        gates = jnp.einsum('bd,ghd->gbh', row, wi) + jnp.einsum('bk,ghk->gbh', hidden, wh) + \
            b[:, None, :]
        i, f, c, o = gates
        memory = jax.nn.sigmoid(f) * memory + jax.nn.sigmoid(i) * jnp.tanh(c)
        hidden = jax.nn.sigmoid(o) * jnp.tanh(memory)
        return (hidden, memory, total + (hidden ** 2).sum()), None
    zeros = jnp.zeros((bs, h), x.dtype)
    (_, _, total), _ = jax.lax.scan(step, (zeros, zeros, jnp.zeros((), x.dtype)), x)
    return total / (n * bs * h)


def hmlstm(z, zb, c, f, i, g):
    flush = jax.nn.sigmoid(i) * jnp.tanh(g)
    return jnp.where(z == 1, flush, jnp.where(zb == 0, c, jax.nn.sigmoid(f) * c + flush))


def hmlstm_gradient(z, zb, *rest):
    return jax.grad(lambda rest: hmlstm(z, zb, *rest).sum())(rest)


def weighed(xs):
    return (xs * (jnp.arange(xs.shape[0]) % 7 + 1)).sum()


def recurrences(a, b):
    """Composes x ↦ a₀ + a₁ x with x ↦ b₀ + b₁ x."""
    return b[0] + b[1] * a[0], a[1] * b[1]


def scan_recurrence(xs):
    pairs = (xs, 1.1 - 0.2 * jnp.roll(xs, -1))
    scanned = jax.lax.associative_scan(recurrences, pairs)
    return weighed(scanned[0] + 2 * scanned[1])


def keys(n, bins):
    """The same pseudo-random keys as in primitives.fut, computed as late as there."""
    x = jax.lax.optimization_barrier(jnp.arange(n, dtype=jnp.uint64)) * jnp.uint64(0x9e3779b97f4a7c15) + \
        jnp.uint64((4 * 0xd1342543de82ef95 + 1) % 2**64)
    x = (x ^ (x >> 30)) * jnp.uint64(0xbf58476d1ce4e5b9)
    x = (x ^ (x >> 27)) * jnp.uint64(0x94d049bb133111eb)
    x = x ^ (x >> 31)
    return ((x >> 11).astype(jnp.float64) / 2**53 * bins).astype(jnp.int64)


def hist(segments, finish):
    return lambda xs: weighed(finish(segments(xs, keys(xs.shape[0], 401), 401)))


# JAX has no gradient of a histogram of products.
PRIMITIVES = {
    'reduce_sum': jnp.sum,
    'reduce_product': lambda xs: jnp.prod(0.5 + xs),
    'reduce_min': jnp.min,
    'scan_sum': lambda xs: weighed(jnp.cumsum(xs)),
    'scan_product': lambda xs: weighed(jnp.cumprod(0.5 + xs)),
    'scan_min': lambda xs: weighed(jax.lax.cummin(xs)),
    'scan_recurrence': scan_recurrence,
    'hist_sum': hist(jax.ops.segment_sum, lambda bins: bins),
    'hist_min': hist(jax.ops.segment_min, lambda bins: jnp.minimum(bins, 9)),
}


def gradient(function, *places):
    return jax.grad(function, places)


# Program: sizes, and for each of its entry points the same for JAX.
PROGRAMS = {
    'gmm': ([(1000, 32, 25), (1000, 64, 200)],
            {'primal': gmm, 'gradient': gradient(gmm, 0, 1, 2, 3)}),
    'kmeans_dense': ([(5, 49402, 35), (1024, 10000, 256)],
                     {'primal': kmeans, 'gradient': gradient(kmeans, 1), 'newton': newton}),
    'lstm': ([(16, 20, 300, 192), (1024, 20, 300, 192)],
             {'primal': lstm, 'gradient': gradient(lstm, 0, 1, 2)}),
    'hmlstm': ([(1024, 1024)], {'primal': hmlstm, 'gradient': hmlstm_gradient}),
    'primitives': ([(1000000,)], {f'{name}_{kind}': change(function)
                                  for name, function in PRIMITIVES.items()
                                  for kind, change in (('primal', lambda f: f),
                                                       ('gradient', jax.grad))}),
}


def in_turn(one, other, seconds):
    """The least processor time of each in milliseconds, run alternately."""
    least = [float('inf')] * 2
    end = time.perf_counter() + seconds
    runs = 0
    while runs < 3 or time.perf_counter() < end:
        for which, function in enumerate((one, other)):
            start = time.process_time_ns()
            function()
            least[which] = min(least[which], (time.process_time_ns() - start) / 1e6)
        runs += 1
    return least


def numbers(program, value, kind):
    element = program.types[kind]['elemtype'] if kind in program.types else kind
    return np.asarray(program.result(value, kind), library.SCALARS[element][1])


def difference(ours, theirs):
    return max(float(np.abs(a - b).max() / (np.abs(b).max() or 1)) for a, b in zip(ours, theirs))


def compare(program, entry, function, data, arrays, seconds):
    """Our least time, JAX's, and the difference, of one entry point."""
    compiled = jax.jit(function)
    theirs = jax.tree_util.tree_leaves(compiled(*arrays))
    outputs = program.outputs(entry)[0]
    results = program.call(entry, data)
    ours = [numbers(program, value, kind) for value, kind in zip(results, outputs)]
    program.free_results(results, outputs)
    times = in_turn(lambda: program.free_results(program.call(entry, data), outputs),
                    lambda: jax.block_until_ready(compiled(*arrays)), seconds)
    return *times, difference(ours, theirs)


def main():
    options = programs.parser(__doc__, PROGRAMS, seconds=1).parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    programs.start_table(
        f'1 thread, JAX {jax.__version__}; least processor time in ms',
        ['program', 'size', 'entry', 'Dagaz', 'JAX', 'JAX / Dagaz', 'difference'])
    with tempfile.TemporaryDirectory() as folder:
        for name in options.programs:
            sizes_of, functions = PROGRAMS[name]
            shared = programs.build(options.dagaz, name, folder)
            for sizes in sizes_of:
                program, data, kinds = programs.generate(shared, 1, sizes)
                arrays = [jnp.asarray(numbers(program, value, kind))
                          for value, kind in zip(data, kinds)]
                for entry, function in functions.items():
                    mine, jaxs, differs = compare(program, entry, function, data, arrays,
                                                  options.seconds)
                    print(f'| {name} | {" ".join(map(str, sizes))} | {entry} | {mine:.3f} '
                          f'| {jaxs:.3f} | {jaxs / mine:.2f} | {differs:.1e} |', flush=True)
                program.free_results(data, kinds)
                program.close()


if __name__ == '__main__':
    main()
