from case import cases_of, jnp, np

case = cases_of('transforms')
N = 2**20


def signal(generator):
    """Complex numbers, and the roots of 1, which the peers, too, keep from call to call."""
    angles = -2 * np.pi * np.arange(N) / N
    numbers = generator.random((2, N), dtype='f4')
    return (*numbers, np.cos(angles).astype('f4'), np.sin(angles).astype('f4'))


def fft(real, imaginary, *_):
    result = np.fft.fft((real + np.complex64(1j) * imaginary).astype('c8'))
    return result.real, result.imag


def fft_jax(real, imaginary, *_):
    result = jnp.fft.fft(real + 1j * imaginary)
    return result.real, result.imag


CASES = [case("Fourier's transform, 2²⁰", 'fft', signal, numpy=fft, jax=fft_jax)]
