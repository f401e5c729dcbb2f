"""What a case is, and what the files of cases share.

JAX and SciPy may be missing: a case that mentions them does so inside of functions, which are
called only where they are there.
"""
from dataclasses import dataclass
from typing import Callable, Optional

import numpy as np

try:
    import jax
    import jax.numpy as jnp
except ImportError:
    jax = jnp = None
try:
    import scipy
    import scipy.sparse
except ImportError:
    scipy = None


@dataclass(frozen=True)
class Case:
    """The same work for all: an entry point of a program, and functions for NumPy and JAX that take
    the same arguments."""
    name: str
    program: str
    entry: str
    inputs: Callable  # of a random generator: the arguments
    numpy: Optional[Callable] = None
    jax: Optional[Callable] = None
    flops: int = 0  # how many sums and products it is of, where these are what it is made of
    copies: bool = False  # whether memory alone should limit it
    tolerance: float = 1e-5  # of the difference's norm over the result's


def cases_of(program):
    """Makes cases of one program."""
    def make(name, entry, inputs, **rest):
        return Case(name, program, entry, inputs, **rest)
    return make


def randoms(*shape, dtype='f4', low=0.0, high=1.0):
    """A maker of one array of numbers between two."""
    def make(generator):
        if np.dtype(dtype).kind in 'iu':
            return generator.integers(low, high, shape, dtype=dtype)
        numbers = generator.random(shape, dtype='f4' if dtype == 'f4' else 'f8')
        return (low + (high - low) * numbers).astype(dtype)
    return make


def all_of(*makers):
    """A maker of several arguments: by makers of one, or these themselves."""
    return lambda generator: tuple(
        make(generator) if callable(make) else make for make in makers)
