from case import all_of, cases_of, jnp, np, randoms

case = cases_of('moves')
N = 2**22
N_POSITIVE = 2**23


def half_positive(generator):
    """As many positive as negative numbers, so that JAX, too, can know how many remain."""
    signs = np.repeat(np.array([-1, 1], 'f4'), N_POSITIVE)
    generator.shuffle(signs)
    return signs * (generator.random(2 * N_POSITIVE, dtype='f4') + np.float32(0.1))


def permutation(generator):
    return generator.permutation(N)


def scattered(xs, places):
    result = np.zeros_like(xs)
    result[places] = xs
    return result


def positive_jax(xs):
    """Each where the count of those before says: many times as fast as jnp.compress."""
    chosen = xs > 0
    places = jnp.where(chosen, jnp.cumsum(chosen) - 1, N_POSITIVE)
    return jnp.zeros(N_POSITIVE, xs.dtype).at[places].set(xs, mode='drop')


CASES = [
    case('transposition 4096²', 'transposed', all_of(randoms(4096, 4096)),
         numpy=lambda x: x.T.copy(), jax=lambda x: x.T, copies=True),
    case('channels first, 16 × 256² × 8', 'channels_first', all_of(randoms(16, 2**16, 8)),
         numpy=lambda x: x.transpose(0, 2, 1).copy(), jax=lambda x: x.transpose(0, 2, 1),
         copies=True),
    case('filter', 'positive', all_of(half_positive), numpy=lambda x: x[x > 0],
         jax=positive_jax, copies=True),
    case('gather', 'gathered', all_of(randoms(N), randoms(N, dtype='i8', high=N)),
         numpy=np.take, jax=lambda x, places: x[places]),
    case('scatter', 'scattered', all_of(randoms(N), permutation), numpy=scattered,
         jax=lambda x, places: jnp.zeros_like(x).at[places].set(x)),
]
