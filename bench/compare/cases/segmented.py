from case import all_of, cases_of, jax, jnp, randoms

case = cases_of('segmented')


def flags(generator):
    return generator.random(2**22) < 0.01


def flagged_jax(flags, xs):
    def join(a, b):
        return a[0] | b[0], jnp.where(b[0], b[1], a[1] + b[1])
    return jax.lax.associative_scan(join, (flags, xs))[1]


def sums(rows, columns):
    return case(f'sums of {rows} × {columns}', 'sums', all_of(randoms(rows, columns)),
                numpy=lambda x: x.sum(1), jax=lambda x: x.sum(1), copies=True)


CASES = [
    sums(4, 2**22), sums(64, 2**18), sums(4096, 4096), sums(2**18, 64), sums(2**22, 4),
    case('prefix sums between flags, f64', 'flagged', all_of(flags, randoms(2**22, dtype='f8')),
         jax=flagged_jax),
]
