from case import all_of, cases_of, jax, jnp, np, randoms

case = cases_of('scans')


def recurrence_jax(a, b):
    def compose(f, g):
        return f[0] * g[0], f[1] * g[0] + g[1]
    return jax.lax.associative_scan(compose, (a, b))[1]


CASES = [
    case('prefix sums, i32', 'sums_i32', all_of(randoms(2**24, dtype='i4', high=100)),
         numpy=lambda x: np.cumsum(x, dtype='i4'), jax=lambda x: jnp.cumsum(x), copies=True),
    case('prefix sums, f64', 'sums_f64', all_of(randoms(2**23, dtype='f8')), numpy=np.cumsum,
         jax=lambda x: jnp.cumsum(x), copies=True),
    case('running maximum', 'maxima', all_of(randoms(2**24)), numpy=np.maximum.accumulate,
         jax=lambda x: jax.lax.cummax(x), copies=True),
    case('linear recurrence, f64', 'recurrence',
         all_of(randoms(2**22, dtype='f8'), randoms(2**22, dtype='f8')), jax=recurrence_jax),
    case('prefix sums of rows 4096²', 'sums_of_rows', all_of(randoms(4096, 4096)),
         numpy=lambda x: x.cumsum(1), jax=lambda x: x.cumsum(1), copies=True),
]
