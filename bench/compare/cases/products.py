from case import all_of, cases_of, jax, jnp, np, randoms, scipy

case = cases_of('products')


def product(name, n, k, m, entry='product_f32', dtype='f4'):
    high = 10 if dtype == 'i4' else 1
    return case(name, entry, all_of(randoms(n, k, dtype=dtype, high=high),
                                    randoms(k, m, dtype=dtype, high=high)),
                numpy=np.matmul, jax=lambda a, b: a @ b, flops=2 * n * k * m)


def min_plus(a, b):
    c = np.full((a.shape[0], b.shape[1]), np.inf, a.dtype)
    for k in range(a.shape[1]):
        np.minimum(c, a[:, k:k + 1] + b[k], out=c)
    return c


def sparse_matrix(generator):
    """2¹⁷ rows with 0 to 32 numbers each, and a vector."""
    n = 2**17
    lengths = generator.integers(0, 33, n)
    starts = np.cumsum(lengths) - lengths
    count = int(lengths.sum())
    return (starts, generator.integers(0, n, count), generator.random(count), generator.random(n))


def sparse_numpy(starts, columns, values, x):
    ends = np.append(starts, len(values))
    return scipy.sparse.csr_array((values, columns, ends), (len(starts), len(x))) @ x


def sparse_jax(starts, columns, values, x):
    rows = jnp.searchsorted(starts, jnp.arange(len(values)), side='right') - 1
    return jax.ops.segment_sum(values * x[columns], rows, len(starts), indices_are_sorted=True)


CASES = [
    product('A·B, f32 1024²', 1024, 1024, 1024),
    product('A·B, f64 1024²', 1024, 1024, 1024, 'product_f64', 'f8'),
    product('A·B, i32 512²', 512, 512, 512, 'product_i32', 'i4'),
    product('tall: 16384 × 64 × 64', 16384, 64, 64),
    product('wide: 64 × 64 × 16384', 64, 64, 16384),
    product('long sums: 64 × 8192 × 64', 64, 8192, 64),
    case('Aᵀ·B, f32 1024²', 'left_transposed', all_of(randoms(1024, 1024), randoms(1024, 1024)),
         numpy=lambda a, b: a.T @ b, jax=lambda a, b: a.T @ b, flops=2 * 1024**3),
    case('batch of 256, 64²', 'batch', all_of(randoms(256, 64, 64), randoms(256, 64, 64)),
         numpy=np.matmul, jax=lambda a, b: a @ b, flops=2 * 256 * 64**3),
    case('min-plus, 512²', 'min_plus', all_of(randoms(512, 512), randoms(512, 512)), numpy=min_plus,
         jax=lambda a, b: jnp.min(a[:, :, None] + b, 1), flops=2 * 512**3),
    case('matrix and vector, 4096²', 'with_vector', all_of(randoms(4096, 4096), randoms(4096)),
         numpy=np.matmul, jax=lambda a, b: a @ b, copies=True),
    case('sparse matrix and vector', 'sparse', sparse_matrix,
         numpy=scipy and sparse_numpy, jax=sparse_jax),
]
