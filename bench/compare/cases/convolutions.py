from case import all_of, cases_of, jax, np, randoms

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


CASES = [
    case('convolution 3 × 3', 'convolution', all_of(PICTURE, WEIGHTS), numpy=convolution,
         jax=convolution_jax, flops=FLOPS),
    case('convolution 3 × 3, gradient', 'gradient', all_of(PICTURE, WEIGHTS, randoms(32, 126, 126, low=-1)),
         jax=gradient_jax, flops=2 * FLOPS),
]
