from case import all_of, cases_of, jax, jnp, np, randoms

case = cases_of('finance')
N = 2**20
STRIKE, RATE, VOLATILITY = 100, 0.05, 0.3
TREE_STEPS = 256
PATHS, WALK_STEPS = 2**16, 64


def black_scholes(kind):
    def normal(x):
        k = 1 / (1 + 0.2316419 * abs(x))
        series = k * (0.31938153 + k * (-0.356563782 + k * (
            1.781477937 + k * (-1.821255978 + k * 1.330274429))))
        tail = 0.3989422804014327 * kind.exp(-0.5 * x * x) * series
        return kind.where(x > 0, 1 - tail, tail)

    def prices(spot, strike, t):
        rate, volatility = 0.08, 0.3
        spread = volatility * kind.sqrt(t)
        d = (kind.log(spot / strike) + (rate + 0.5 * volatility * volatility) * t) / spread
        return spot * normal(d) - strike * kind.exp(-rate * t) * normal(d - spread)
    return prices


def tree():
    """What a step up multiplies with, a step's discount, and the chance of a step up."""
    dt = 1 / TREE_STEPS
    up = np.exp(VOLATILITY * np.sqrt(dt))
    discount = np.exp(-RATE * dt)
    return tuple(np.float32(x) for x in (VOLATILITY * np.sqrt(dt), discount,
                                         (1 / discount - 1 / up) / (up - 1 / up)))


def american(_, spots):
    step, discount, p = tree()
    nodes = np.arange(TREE_STEPS + 1, dtype='f4')

    def exercise(t):
        j = nodes[:t + 1]
        return np.maximum(0, STRIKE - spots[:, None] * np.exp(step * (2 * j - np.float32(t))))
    values = exercise(TREE_STEPS)
    for t in range(TREE_STEPS - 1, -1, -1):
        held = discount * (p * values[:, 1:] + (1 - p) * values[:, :-1])
        values = np.maximum(exercise(t), held)
    return values[:, 0]


def american_jax(_, spots):
    step, discount, p = tree()
    nodes = jnp.arange(TREE_STEPS + 1, dtype='f4')

    def price(spot):
        def exercise(t):
            return jnp.maximum(0, STRIKE - spot * jnp.exp(step * (2 * nodes - t)))

        def back(i, values):
            held = discount * (p * jnp.roll(values, -1) + (1 - p) * values)
            return jnp.maximum(exercise((TREE_STEPS - 1 - i).astype('f4')), held)
        return jax.lax.fori_loop(0, TREE_STEPS, back, exercise(jnp.float32(TREE_STEPS)))[0]
    return jax.vmap(price)(spots)


def mixed(x):
    x = (x ^ (x >> 15)) * np.uint32(0x9e3779b1)
    x = (x ^ (x >> 13)) * np.uint32(0x85ebca77)
    return x ^ (x >> 16)


def uniform(x):
    return ((mixed(x) >> 8).astype('f4') + np.float32(0.5)) / np.float32(16777216)


def asian(kind, walk):
    dt = 1 / WALK_STEPS
    drift = np.float32((RATE - 0.5 * VOLATILITY**2) * dt)
    spread = np.float32(VOLATILITY * np.sqrt(dt))

    def gain(*_):
        first = kind.arange(PATHS, dtype='u4') * np.uint32(WALK_STEPS)

        def step(i, state):
            price, total = state
            seed = (first + i) * np.uint32(2)
            z = kind.sqrt(-2 * kind.log(uniform(seed))) * \
                kind.cos(np.float32(2 * np.pi) * uniform(seed + np.uint32(1)))
            price = price * kind.exp(drift + spread * z)
            return price, total + price
        zeros = kind.zeros(PATHS, 'f4')
        _, total = walk(step, (zeros + STRIKE, zeros))
        gains = kind.maximum(0, total / np.float32(WALK_STEPS) - STRIKE)
        return np.float32(np.exp(-RATE)) * gains.mean()
    return gain


def in_turn(step, state):
    for i in range(WALK_STEPS):
        state = step(np.uint32(i), state)
    return state


CASES = [
    case('Black–Scholes, f64', 'black_scholes',
         all_of(randoms(N, dtype='f8', low=10, high=50), randoms(N, dtype='f8', low=10, high=50),
                randoms(N, dtype='f8', low=0.1, high=2)),
         numpy=black_scholes(np), jax=black_scholes(jnp)),
    case('American options on trees', 'american',
         all_of(np.int64(TREE_STEPS), randoms(1024, low=80, high=120)), numpy=american,
         jax=american_jax, tolerance=1e-3),
    case('Asian option by random walks', 'asian', all_of(np.int64(PATHS), np.int64(WALK_STEPS)),
         numpy=asian(np, in_turn),
         jax=lambda *_: asian(jnp, lambda step, state: jax.lax.fori_loop(
             0, WALK_STEPS, lambda i, s: step(i.astype('u4'), s), state))(), tolerance=1e-4),
]
