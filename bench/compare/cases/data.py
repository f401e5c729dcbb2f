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


CASES = [
    case('PageRank, 2²⁰ edges', 'page_rank', graph, numpy=scipy and page_rank, jax=page_rank_jax),
    case('k-means, 2¹⁶ × 32, 64 centres', 'k_means', all_of(randoms(2**16, 32), randoms(64, 32)),
         numpy=k_means, jax=k_means_jax, flops=2 * 2**16 * 64 * 32, tolerance=1e-3),
]
