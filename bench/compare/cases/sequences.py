from case import all_of, cases_of, jax, jnp, randoms

case = cases_of('sequences')


def small(*shape):
    return randoms(*shape, low=-0.1, high=0.1)


def words(most, *shape):
    return randoms(*shape, dtype='i8', high=most)


def recurrent(xs, w, u):
    def step(state, x):
        return jnp.tanh(x @ w.T + state @ u.T), None
    zeros = jnp.zeros((xs.shape[0], w.shape[0]), 'f4')
    return jax.lax.scan(step, zeros, xs.transpose(1, 0, 2))[0]


def normalised(scale, x):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return scale * (x - mean) / jnp.sqrt(variance + 1e-5)


def block(xs, q, k, v, o, scale, w1, w2):
    ys = normalised(scale, xs)
    qs, ks, vs = (jnp.einsum('bnd,hkd->bhnk', ys, w) for w in (q, k, v))
    scores = jax.nn.softmax(qs @ ks.transpose(0, 1, 3, 2) / q.shape[1] ** 0.5)
    zs = xs + jnp.einsum('bhnk,dhk->bnd', scores @ vs, o)
    return zs + jax.nn.silu(normalised(scale, zs) @ w1.T) @ w2.T


def language(embeddings, w, u, output, words):
    def step(state, pair):
        s, c = state
        x, y = pair
        i, f, g, o = (jnp.einsum('be,khe->kbh', embeddings[x], w)
                      + jnp.einsum('bh,kgh->kbg', s, u))
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        s = jax.nn.sigmoid(o) * jnp.tanh(c)
        scores = s @ output.T
        right = jnp.take_along_axis(scores, y[:, None], 1)[:, 0]
        return (s, c), (jax.nn.logsumexp(scores, 1) - right).sum()
    zeros = jnp.zeros((words.shape[1], u.shape[1]), 'f4')
    return jax.lax.scan(step, (zeros, zeros), (words[:-1], words[1:]))[1].sum() / words[1:].size


def dilated(distance):
    def convolution(xs, ws):
        return jax.lax.conv_general_dilated(xs, ws, (1,), 'VALID', rhs_dilation=(distance,))
    return convolution


def likelihood(steps, emissions, seen):
    def step(states, y):
        return emissions[:, y] + jax.nn.logsumexp(steps + states[None], 1), None
    zeros = jnp.zeros(steps.shape[0], 'f4')
    return jax.nn.logsumexp(jax.lax.scan(step, zeros, seen)[0])


def gradient(function, arguments):
    """Of the arguments at these places, given the adjoint of the result as the last."""
    def back(*values):
        def of(*some):
            all_values = list(values[:-1])
            for place, value in zip(arguments, some):
                all_values[place] = value
            return function(*all_values)
        return jax.vjp(of, *(values[place] for place in arguments))[1](values[-1])
    return back


CASES = [
    case('recurrent network, gradient', 'recurrent_gradient',
         all_of(randoms(32, 50, 32, low=-1), small(64, 32), small(64, 64), randoms(32, 64)),
         jax=gradient(recurrent, (1, 2)), tolerance=1e-4),
    case('block of a transformer, gradient', 'block_gradient',
         all_of(randoms(4, 128, 64, low=-1), small(4, 16, 64), small(4, 16, 64), small(4, 16, 64),
                small(64, 4, 16), randoms(64, low=0.5, high=1.5), small(256, 64), small(64, 256),
                randoms(4, 128, 64, low=-1)),
         jax=gradient(block, (1, 2, 3, 4, 5, 6, 7)), tolerance=1e-4),
    case('language model, gradient', 'language_gradient',
         all_of(small(2000, 64), small(4, 128, 64), small(4, 128, 128), small(2000, 128),
                words(2000, 12, 32)),
         jax=lambda *values: jax.grad(language, (0, 1, 2, 3))(*values), tolerance=1e-4),
    case('dilated convolutions, gradient', 'dilated_gradient',
         all_of(4, randoms(8, 32, 1024, low=-1), randoms(32, 32, 3, low=-1),
                randoms(8, 32, 1016, low=-1)),
         jax=lambda distance, *values: jax.vjp(dilated(4), *values[:2])[1](values[2]),
         tolerance=1e-4),
    case('hidden Markov model, gradient', 'likelihood_gradient',
         all_of(randoms(64, 64, low=-2, high=2), randoms(64, 100, low=-2, high=2),
                words(100, 2000)),
         jax=lambda *values: jax.grad(likelihood, (0, 1))(*values), tolerance=1e-3),
]
