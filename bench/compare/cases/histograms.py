from case import all_of, cases_of, jax, np, randoms

case = cases_of('histograms')
N = 2**22


def keys(bins):
    return randoms(N, dtype='i8', high=bins)


def counts(bins):
    return case(f'counts, {bins} bins', 'counts', all_of(np.int64(bins), keys(bins)),
                numpy=lambda _, keys: np.bincount(keys, minlength=bins),
                jax=lambda _, keys: jax.ops.segment_sum(np.ones(N, 'i4'), keys, bins))


CASES = [
    *map(counts, (16, 256, 4096, 2**16, 2**20)),
    case('weights, 1024 bins, f64', 'weights',
         all_of(np.int64(1024), keys(1024), randoms(N, dtype='f8')),
         numpy=lambda _, keys, xs: np.bincount(keys, xs, minlength=1024),
         jax=lambda _, keys, xs: jax.ops.segment_sum(xs, keys, 1024)),
]
