from case import all_of, cases_of, jnp, np, randoms

case = cases_of('sorting')
N = 2**21

CASES = [
    case('sort, i32', 'sorted_i32', all_of(randoms(N, dtype='i4', low=-2**31, high=2**31)),
         numpy=np.sort, jax=lambda x: jnp.sort(x)),
    case('sort, f32', 'sorted_f32', all_of(randoms(N)), numpy=np.sort, jax=lambda x: jnp.sort(x)),
    case('arg-sort, f32', 'order_f32', all_of(randoms(N)),
         numpy=lambda x: np.argsort(x, kind='stable'), jax=lambda x: jnp.argsort(x)),
]
