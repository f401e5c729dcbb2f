from case import all_of, cases_of, jax, jnp, np, randoms

case = cases_of('edges')


def back(q, k, v):
    scores = jnp.einsum('hqd,hkd->hqk', q, k) / np.float32(q.shape[-1] ** 0.5)
    before = jnp.tril(jnp.ones(scores.shape[1:], bool))
    return jax.nn.softmax(jnp.where(before, scores, -1e9), -1) @ v


def repeated(times, step, state):
    return jax.lax.scan(lambda s, _: (step(s), None), state, None, length=times)[0]


def torus(u, v, feed, kill):
    def spread(a):
        return (jnp.roll(a, -1, 0) + jnp.roll(a, 1, 0) + jnp.roll(a, -1, 1) + jnp.roll(a, 1, 1)
                - 4 * a)

    def step(state):
        a, b = state
        r = a * b * b
        return (a + 0.16 * spread(a) - r + feed * (1 - a),
                b + 0.08 * spread(b) + r - (feed + kill) * b)
    return repeated(20, step, (u, v))


def blur(library):
    """By NumPy or JAX."""
    def of(weights, image):
        half = len(weights) // 2
        n, m = image.shape
        wide = library.pad(image, ((0, 0), (half, half)), 'edge')
        rows = sum(weights[t] * wide[:, t:t + m] for t in range(2 * half + 1))
        tall = library.pad(rows, ((half, half), (0, 0)), 'edge')
        return sum(weights[t] * tall[t:t + n] for t in range(2 * half + 1))
    return of


def transport(cost):
    k = jnp.exp(-10 * cost)
    part = 1 / np.float32(len(cost))

    def step(state):
        u = part / (k @ state[1])
        return u, part / (k.T @ u)
    u, v = repeated(30, step, (jnp.ones(len(cost)), jnp.ones(len(cost))))
    return u @ ((k * cost) @ v)


def enlarged(weights, xs):
    before = jnp.pad(xs, ((0, 0), (0, 0), (1, 0)))[..., :-1]
    after = jnp.pad(xs, ((0, 0), (0, 0), (0, 1)))[..., 1:]
    even = jnp.einsum('oc,bct->bot', weights[..., 1], xs) + jnp.einsum('oc,bct->bot',
                                                                      weights[..., 3], before)
    odd = jnp.einsum('oc,bct->bot', weights[..., 2], xs) + jnp.einsum('oc,bct->bot',
                                                                     weights[..., 0], after)
    return jnp.stack([even, odd], -1).reshape(*even.shape[:-1], -1)


def places(*shape):
    return randoms(*shape, low=-1)


FIELDS = all_of(randoms(128, 128), randoms(128, 128, high=0.3), np.float32(0.03),
                np.float32(0.06))

def windows(weights, image):
    n, m = image.shape
    wide = jnp.pad(image, 2, 'edge')
    return sum(weights[s, t] * wide[s:s + n, t:t + m] for s in range(5) for t in range(5))


CASES = [
    case('attention that looks back, gradient', 'back_gradient',
         all_of(*[places(8, 512, 64)] * 4),
         jax=lambda *values: jax.vjp(back, *values[:3])[1](values[3]), tolerance=1e-4),
    case('reaction and diffusion on a torus', 'torus_steps', FIELDS, jax=torus),
    case('reaction and diffusion, gradient', 'torus_gradient',
         lambda generator: FIELDS(generator) + (places(128, 128)(generator),),
         jax=lambda *values: jax.vjp(lambda *some: torus(*some)[1], *values[:4])[1](values[4]),
         tolerance=1e-4),
    case('blur, 7 × 7, 512²', 'blur', all_of(randoms(7), randoms(512, 512)),
         numpy=blur(np), jax=blur(jnp)),
    case('optimal transport, 400², gradient', 'transport_gradient', all_of(randoms(400, 400)),
         jax=lambda cost: jax.grad(transport)(cost), tolerance=1e-4),
    case('layer that enlarges rows', 'enlarged', all_of(places(16, 32, 4), places(8, 32, 256)),
         jax=enlarged),
    case('windows of 5 × 5, 512², gradient', 'windows_gradient',
         all_of(randoms(5, 5), randoms(512, 512), places(512, 512)),
         jax=lambda *values: jax.vjp(windows, *values[:2])[1](values[2]), tolerance=1e-4),
]
