from case import all_of, cases_of, jax, jnp, np, randoms

case = cases_of('networks')
HEADS = [randoms(8, 512, 64, low=-1) for _ in range(3)]
ROWS = randoms(4096, 1024, low=-1)
SCALE = randoms(1024, low=0.5, high=1.5)
PRODUCTS = 2 * 8 * 512 * 512 * 64


def softmax(x):
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def attention(q, k, v):
    return softmax(q @ k.transpose(0, 2, 1) / np.float32(8)) @ v


def attention_jax(q, k, v):
    return jax.nn.softmax(jnp.einsum('hnd,hmd->hnm', q, k) / 8) @ v


def layer_norm(x, scale, shift):
    mean = x.mean(1, keepdims=True)
    variance = ((x - mean) ** 2).mean(1, keepdims=True)
    return (x - mean) / (variance + np.float32(1e-5)) ** np.float32(0.5) * scale + shift


def gradient(function):
    """Of the first arguments, given the adjoint of the result as the last."""
    return lambda *values: jax.vjp(function, *values[:-1])[1](values[-1])


def loss(weights, xs, labels):
    w1, b1, w2, b2 = weights
    logits = jax.nn.relu(xs @ w1 + b1) @ w2 + b2
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1).mean()


CASES = [
    case('softmax of rows', 'softmax', all_of(ROWS), numpy=softmax,
         jax=lambda x: jax.nn.softmax(x)),
    case('layer norm', 'layer_norm', all_of(ROWS, SCALE, SCALE), numpy=layer_norm, jax=layer_norm),
    case('layer norm, gradient', 'layer_norm_gradient', all_of(ROWS, SCALE, SCALE, ROWS),
         jax=gradient(layer_norm), tolerance=1e-4),
    case('attention', 'attention', all_of(*HEADS), numpy=attention, jax=attention_jax,
         flops=2 * PRODUCTS),
    case('attention, gradient', 'attention_gradient', all_of(*HEADS, HEADS[0]),
         jax=gradient(attention_jax), flops=6 * PRODUCTS, tolerance=1e-4),
    case('two layers, gradient', 'mlp_gradient',
         all_of(randoms(256, 784), randoms(256, dtype='i8', high=10),
                randoms(784, 512, low=-0.05, high=0.05), randoms(512),
                randoms(512, 10, low=-0.05, high=0.05), randoms(10)),
         jax=lambda xs, labels, *weights: jax.grad(loss)(weights, xs, labels),
         flops=2 * 256 * (2 * 784 * 512 + 3 * 512 * 10), tolerance=1e-4),
]
