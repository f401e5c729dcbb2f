"""The cases of timing.py in JAX; prints a line of JSON for each.

usage: with_jax.py full|small
"""
import json
import sys
import time

import jax
import jax.numpy as jnp

SMALL = sys.argv[1] == 'small'
jax.config.update('jax_default_matmul_precision', 'float32')


def show(name, function, *arguments):
    """The least time of a call after two that compile and warm up."""
    compiled = jax.jit(function)
    times = []
    for _ in range(4 if SMALL else 12):
        start = time.perf_counter()
        jax.block_until_ready(compiled(*arguments))
        times.append(time.perf_counter() - start)
    print(json.dumps({'name': name, 'microseconds': 1e6 * min(times[2:])}), flush=True)


def numbers(*shape):
    return jax.random.uniform(jax.random.PRNGKey(0), shape)


def gradient(function):
    """By the adjoint of the result, which is the last argument."""
    return lambda *values: jax.vjp(function, *values[:-1])[1](values[-1])


def memory():
    n = 2**12 if SMALL else 2**28
    xs, ys = numbers(n), numbers(n)
    show('a x + y', lambda x, y: 2 * x + y, xs, ys)
    show('sum', jnp.sum, xs)
    show('arg-max', jnp.argmax, xs)
    show('scan', jnp.cumsum, xs)
    del xs, ys
    matrix = numbers(*((64, 48) if SMALL else (16384, 16000)))
    show('transposition', lambda x: jnp.copy(x.T), matrix)
    show('sums of rows', lambda x: x.sum(1), matrix)
    show('sums of columns', lambda x: x.sum(0), matrix)
    keys = 2**12 if SMALL else 2**26
    values = numbers(keys)
    for bins in (16, 1000, 2000 if SMALL else 10**6):
        places = jax.random.randint(jax.random.PRNGKey(1), (keys,), 0, bins)
        show(f'counts, {bins} bins', lambda p, b=bins: jnp.zeros(b, 'int32').at[p].add(1), places)
        show(f'weights, {bins} bins', lambda p, v, b=bins: jnp.zeros(b).at[p].add(v), places, values)
        show(f'greatest, {bins} bins',
             lambda p, v, b=bins: jnp.full(b, -jnp.inf).at[p].max(v), places, values)
    order = jax.random.randint(jax.random.PRNGKey(2), (keys,), 0, keys)
    show('gather', lambda x, i: x[i], values, order)
    show('sort i32', jnp.sort, order)
    show('sort f32', jnp.sort, values)


def layer_norm(x, scale, shift):
    mean = x.mean(1, keepdims=True)
    variance = ((x - mean) ** 2).mean(1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + shift


def attention(q, k, v):
    scores = jnp.einsum('hnd,hmd->hnm', q, k) / q.shape[2] ** 0.5
    return jax.nn.softmax(scores) @ v


def entropy(x, labels):
    return -jnp.take_along_axis(jax.nn.log_softmax(x), labels[:, None], 1).mean()


def layers():
    side = 32 if SMALL else 4096
    a, v = numbers(side, side), numbers(side)
    show('product', jnp.matmul, a, a)
    show('product, gradient', gradient(jnp.matmul), a, a, a)
    some = numbers(3 if SMALL else 64, side // 8, side // 8)
    show('batch of products', jnp.matmul, some, some)
    show('softmax, narrow', lambda x: jax.nn.softmax(x), numbers(4 * side, 32))
    show('softmax, wide', lambda x: jax.nn.softmax(x), a)
    show('layer norm', layer_norm, a, v, v)
    show('layer norm, gradient', gradient(layer_norm), a, v, v, a)
    labels = jax.random.randint(jax.random.PRNGKey(3), (side,), 0, side)
    show('cross entropy, gradient', jax.grad(entropy), a, labels)
    heads = numbers(*((2, 16, 8) if SMALL else (16, 2048, 64)))
    show('attention', attention, heads, heads, heads)
    show('attention, gradient', gradient(attention), heads, heads, heads, heads)


if __name__ == '__main__':
    memory()
    layers()
