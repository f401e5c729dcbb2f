from case import all_of, cases_of, jax, jnp, np, randoms, scipy

case = cases_of('data')
NODES, EDGES, STEPS = 2**16, 2**20, 10


def graph(generator):
    """So many steps to make, edges, and how many leave each node."""
    sources, targets = generator.integers(0, NODES, (2, EDGES))
    degrees = np.maximum(1, np.bincount(sources, minlength=NODES)).astype('f8')
    return np.int64(STEPS), sources, targets, degrees


def page_rank(_, sources, targets, degrees):
    edges = scipy.sparse.csr_array((1 / degrees[sources], (targets, sources)), (NODES, NODES))
    ranks = np.full(NODES, 1 / NODES)
    for _ in range(STEPS):
        ranks = 0.15 / NODES + 0.85 * (edges @ ranks)
    return ranks


def page_rank_jax(_, sources, targets, degrees):
    def step(ranks, _):
        sums = jax.ops.segment_sum((ranks / degrees)[sources], targets, NODES)
        return 0.15 / NODES + 0.85 * sums, None
    return jax.lax.scan(step, jnp.full(NODES, 1 / NODES), length=STEPS)[0]


def nearest(points, centres):
    """By |c|² - 2 p·c, which is a product of matrices."""
    return ((centres * centres).sum(1) - 2 * points @ centres.T).argmin(1)


def k_means(points, centres):
    chosen = np.eye(len(centres), dtype='f4')[nearest(points, centres)]
    return chosen.T @ points / np.maximum(1, chosen.sum(0))[:, None]


def k_means_jax(points, centres):
    places = nearest(points, centres)
    sums = jax.ops.segment_sum(points, places, len(centres))
    counts = jax.ops.segment_sum(jnp.ones(len(points), 'f4'), places, len(centres))
    return sums / jnp.maximum(1, counts)[:, None]


def posterior(xs, ys, w):
    z = xs @ w
    likelihood = ys * z - jnp.maximum(z, 0) - jnp.log1p(jnp.exp(-jnp.abs(z)))
    return likelihood.sum() - 0.5 * (w * w).sum()


def leapfrog(xs, ys, w, momentum):
    gradient, step = jax.grad(posterior, 2), np.float32(0.001)

    def leap(state, _):
        w, momentum = state
        momentum = momentum + step / 2 * gradient(xs, ys, w)
        w = w + step * momentum
        return (w, momentum + step / 2 * gradient(xs, ys, w)), None
    return jax.lax.scan(leap, (w, momentum), length=20)[0]


def edit_distance(a, b):
    n, m = len(a), len(b)
    i = jnp.arange(n + 1)
    a, b = (jnp.concatenate([jnp.zeros(1, 'i4'), word]) for word in (a, b))

    def diagonal(state, k):
        before, now = state
        j = k - i
        best = jnp.minimum(1 + jnp.minimum(jnp.roll(now, 1), now),
                           jnp.roll(before, 1) + (a != b[jnp.clip(j, 0, m)]))
        best = jnp.where(i == 0, j, jnp.where(j == 0, i, best))
        return (now, jnp.where((j < 0) | (j > m), 0, best).astype('i4')), None
    none = jnp.zeros(n + 1, 'i4')
    return jax.lax.scan(diagonal, (none, none), jnp.arange(n + m + 1))[0][1][n]


def labels(generator):
    return (generator.random(2000) < 0.5).astype('f4')


def word(generator):
    return generator.integers(0, 4, 2000, dtype='i4')


CASES = [
    case('PageRank, 2²⁰ edges', 'page_rank', graph, numpy=scipy and page_rank, jax=page_rank_jax),
    case('k-means, 2¹⁶ × 32, 64 centres', 'k_means', all_of(randoms(2**16, 32), randoms(64, 32)),
         numpy=k_means, jax=k_means_jax, flops=2 * 2**16 * 64 * 32, tolerance=1e-3),
    case('Hamiltonian Monte Carlo, 2000 × 64', 'leapfrog',
         all_of(randoms(2000, 64, low=-1), labels, *[randoms(64, low=-1)] * 2), jax=leapfrog,
         tolerance=1e-4),
    case('edit distance of 2000 and 2000', 'edit_distance', all_of(word, word), jax=edit_distance),
]
