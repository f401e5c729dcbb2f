from case import all_of, cases_of, jax, jnp, np, randoms

case = cases_of('reductions')
MANY = randoms(2**25)


def best_segment(xs):
    """The greatest difference of a sum of first elements and a least one before."""
    sums = np.cumsum(xs, dtype='i4')
    before = np.minimum(np.minimum.accumulate(np.concatenate([[0], sums[:-1]])), 0)
    return max(np.int32(0), (sums - before).max())


def best_segment_jax(xs):
    sums = jnp.cumsum(xs)
    before = jax.lax.cummin(jnp.concatenate([jnp.zeros(1, 'i4'), sums[:-1]]))
    return jnp.maximum(0, (sums - before).max())


def log_sum_exp(xs):
    top = xs.max()
    return top + np.log(np.exp(xs - top).sum())


CASES = [
    case('sum', 'sum', all_of(MANY), numpy=np.sum, jax=lambda x: jnp.sum(x), copies=True),
    case('dot product', 'dot', all_of(randoms(2**24), randoms(2**24)), numpy=np.dot,
         jax=lambda x, y: jnp.dot(x, y), copies=True, tolerance=1e-4),
    case('greatest', 'greatest', all_of(MANY), numpy=np.max, jax=lambda x: jnp.max(x), copies=True),
    case('arg-max', 'arg_max', all_of(MANY), numpy=np.argmax, jax=lambda x: jnp.argmax(x),
         copies=True),
    case('log-sum-exp', 'log_sum_exp', all_of(randoms(2**22, low=-9, high=9)), numpy=log_sum_exp,
         jax=lambda x: jax.nn.logsumexp(x)),
    case('mean and variance (Welford)', 'welford', all_of(randoms(2**24)),
         numpy=lambda x: (x.mean(), x.var()), jax=lambda x: (x.mean(), x.var()), tolerance=1e-4),
    case('greatest sum of neighbours', 'best_segment',
         all_of(randoms(2**23, dtype='i4', low=-9, high=10)), numpy=best_segment,
         jax=best_segment_jax),
    case('sums of columns 4096²', 'sums_of_columns', all_of(randoms(4096, 4096)),
         numpy=lambda x: x.sum(0), jax=lambda x: x.sum(0), copies=True),
]
