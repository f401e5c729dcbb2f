from case import all_of, cases_of, jax, jnp, np, randoms

case = cases_of('simulations')
WIDTH, HEIGHT, MOST = 800, 600, 200
STEPS = 50


def n_body(kind):
    def accelerations(x, y, z, mass):
        dx, dy, dz = (at - at[:, None] for at in (x, y, z))
        square = dx * dx + dy * dy + dz * dz + np.float32(0.01)
        factor = mass / (square * kind.sqrt(square))
        return tuple((d * factor).sum(1) for d in (dx, dy, dz))
    return accelerations


def plane():
    return (3 * np.arange(WIDTH, dtype='f4') / np.float32(WIDTH) - np.float32(2.25),
            np.float32(2.5) * np.arange(HEIGHT, dtype='f4') / np.float32(HEIGHT)
            - np.float32(1.25))


def mandelbrot(*_):
    """Points that have left are not followed any longer."""
    a, b = (each.ravel() for each in np.meshgrid(*plane()))
    counts = np.zeros(WIDTH * HEIGHT, 'i4')
    u, v, places = np.zeros_like(a), np.zeros_like(b), np.arange(WIDTH * HEIGHT)
    for _ in range(MOST):
        inside = u * u + v * v <= 4
        u, v, a, b, places = (each[inside] for each in (u, v, a, b, places))
        counts[places] += 1
        u, v = u * u - v * v + a, 2 * u * v + b
    return counts.reshape(HEIGHT, WIDTH)


def mandelbrot_jax(*_):
    def steps(b, a):
        def goes_on(state):
            u, v, i = state
            return (i < MOST) & (u * u + v * v <= 4)

        def step(state):
            u, v, i = state
            return u * u - v * v + a, 2 * u * v + b, i + 1
        return jax.lax.while_loop(goes_on, step, (jnp.float32(0), jnp.float32(0), jnp.int32(0)))[2]
    a, b = plane()
    return jax.vmap(lambda b: jax.vmap(lambda a: steps(b, a))(a))(b)


def heat(_, x):
    for _ in range(STEPS):
        around = np.pad(x, 1)
        x = x + np.float32(0.1) * (around[:-2, 1:-1] + around[2:, 1:-1] + around[1:-1, :-2]
                                   + around[1:-1, 2:] - 4 * x)
    return x


def heat_jax(_, x):
    def step(x, _):
        around = jnp.pad(x, 1)
        return x + 0.1 * (around[:-2, 1:-1] + around[2:, 1:-1] + around[1:-1, :-2]
                          + around[1:-1, 2:] - 4 * x), None
    return jax.lax.scan(step, x, length=STEPS)[0]


def heat_gradient_jax(_, x, adjoint):
    return jax.vjp(lambda x: heat_jax(_, x) ** 2, x)[1](adjoint)[0]


CASES = [
    case('n bodies, 4096', 'n_body', all_of(*3 * [randoms(4096)], randoms(4096)),
         numpy=n_body(np), jax=n_body(jnp), tolerance=1e-4),
    case('Mandelbrot, 800 × 600', 'mandelbrot',
         all_of(np.int64(WIDTH), np.int64(HEIGHT), np.int32(MOST)), numpy=mandelbrot,
         jax=mandelbrot_jax, tolerance=0.05),
    case('heat, 512², 50 steps', 'heat', all_of(np.int64(STEPS), randoms(512, 512)), numpy=heat,
         jax=heat_jax),
    case('heat, gradient', 'heat_gradient',
         all_of(np.int64(STEPS), randoms(512, 512), randoms(512, 512)), jax=heat_gradient_jax),
]
