from case import all_of, cases_of, jax, jnp, np, randoms

case = cases_of('elementwise')
N = 2**24
MANY = randoms(N, low=-2, high=2)


def powers(x):
    return x**5 - 2 * x**3 + x**2


def blend(w, xs, ys):
    return ((w * xs + (255 - w) * ys) >> 8).astype('u1')


CASES = [
    case('2 x + y', 'axpy', all_of(np.float32(2), MANY, MANY),
         numpy=lambda a, x, y: a * x + y, jax=lambda a, x, y: a * x + y, copies=True),
    case('x⁵ - 2 x³ + x²', 'powers', all_of(MANY), numpy=powers, jax=powers, copies=True),
    case('leaky', 'leaky', all_of(MANY),
         numpy=lambda x: np.where(x > 0, x, np.float32(0.1) * x),
         jax=lambda x: jnp.where(x > 0, x, 0.1 * x), copies=True),
    case('gelu', 'gelu', all_of(randoms(2**22, low=-4, high=4)),
         numpy=lambda x: np.float32(0.5) * x * (
             1 + np.tanh(np.float32(0.7978846) * (x + np.float32(0.044715) * x * x * x))),
         jax=lambda x: jax.nn.gelu(x)),
    case('logistic, f64', 'logistic', all_of(randoms(2**22, dtype='f8', low=-9, high=9)),
         numpy=lambda x: 1 / (1 + np.exp(-x)), jax=lambda x: 1 / (1 + jnp.exp(-x))),
    case('outer product', 'outer', all_of(randoms(4096), randoms(4096)),
         numpy=lambda x, y: x[:, None] * y, jax=lambda x, y: x[:, None] * y, copies=True),
    case('blend, u8', 'blend', all_of(np.uint16(99), *2 * [randoms(N, dtype='u1', high=256)]),
         numpy=lambda w, x, y: blend(w, x.astype('u2'), y.astype('u2')),
         jax=lambda w, x, y: blend(w, x.astype('u2'), y.astype('u2')), copies=True),
]
