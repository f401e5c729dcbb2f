from case import all_of, cases_of, jax, jnp, np, randoms

case = cases_of('convolutions')
PICTURE = randoms(16, 128, 128, low=-1)
WEIGHTS = randoms(32, 16, 3, 3, low=-1)
FLOPS = 2 * 32 * 16 * 9 * 126**2


def convolution(picture, weights):
    windows = np.lib.stride_tricks.sliding_window_view(picture, (3, 3), axis=(1, 2))
    return np.tensordot(weights, windows, ((1, 2, 3), (0, 3, 4)))


def convolution_jax(picture, weights):
    return jax.lax.conv_general_dilated(picture[None], weights, (1, 1), 'VALID')[0]


def gradient_jax(picture, weights, adjoint):
    return jax.vjp(convolution_jax, picture, weights)[1](adjoint)


def eighths(*shape, beside=0.0):
    """Multiples of 1/8: sums of their products are exact, and with something beside never 0."""
    return lambda generator: (generator.integers(-8, 9, shape) / 8 + beside).astype('f4')


LAYER_FLOPS = 2 * 8 * 32 * 16 * 9 * 62**2


def layer_gradient_jax(pictures, weights, offsets, adjoint):
    def layer(pictures, weights, offsets):
        sums = jax.lax.conv_general_dilated(pictures, weights, (1, 1), 'VALID')
        return jnp.maximum(0, sums + offsets[None, :, None, None])
    return jax.vjp(layer, pictures, weights, offsets)[1](adjoint)


CASES = [
    case('convolution 3 × 3', 'convolution', all_of(PICTURE, WEIGHTS), numpy=convolution,
         jax=convolution_jax, flops=FLOPS),
    case('convolution 3 × 3, gradient', 'gradient', all_of(PICTURE, WEIGHTS, randoms(32, 126, 126, low=-1)),
         jax=gradient_jax, flops=2 * FLOPS),
    case('layer of convolutions, gradient', 'layer_gradient',
         all_of(eighths(8, 16, 64, 64), eighths(32, 16, 3, 3), eighths(32, beside=1 / 128),
                eighths(8, 32, 62, 62)),
         jax=layer_gradient_jax, flops=3 * LAYER_FLOPS),
]
