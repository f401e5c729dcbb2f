"""Entry points as functions of JAX arrays, differentiated by Dagaz.

    loss = dagaz.jax.wrap(m.loss)
    jax.grad(loss, argnums=2)(xs, ys, w)

JAX calls the program on the host (`jax.pure_callback`), also from inside `jax.jit`.
"""

import functools

import jax
import numpy

from ._values import ARRAY, SCALAR, dtype_of


def _element(given):
    return given.leaves[0][0]


def _is_float(given):
    return _element(given).startswith("f")


def _check(entry):
    for given in (*entry.inputs, *entry.outputs):
        if given.kind not in (SCALAR, ARRAY):
            raise TypeError(f"{entry.name} has a value of type {given.name}, which is no array")


def _given(values, kinds):
    """Arrays of JAX as arguments of an entry point, in place."""
    made = []
    for value, kind in zip(values, kinds):
        array = numpy.asarray(value)
        made.append(array.item() if kind.kind == SCALAR else array)
    return made


def _described(kind, shape):
    return jax.ShapeDtypeStruct(shape, dtype_of(_element(kind)))


def _as_tuple(value, count):
    return (value,) if count == 1 else tuple(value)


class _Wrapped:
    """One entry point: calls of it and of its derivatives, as JAX sees them."""

    def __init__(self, entry, shapes):
        self.entry = entry
        self.shapes = shapes
        self.floats = tuple(place for place, kind in enumerate(entry.inputs) if _is_float(kind))

    def described_results(self, values):
        """The shapes of the results: numbers have none, others are asked for, or tried."""
        kinds = self.entry.outputs
        if all(kind.kind == SCALAR for kind in kinds):
            return tuple(_described(kind, ()) for kind in kinds)
        if self.shapes is not None:
            shapes = self.shapes(*(numpy.shape(value) for value in values))
            shapes = (shapes,) if len(kinds) == 1 else shapes
        else:
            tried = [numpy.zeros(numpy.shape(value), dtype_of(_element(kind)))
                     if isinstance(value, jax.core.Tracer) else value
                     for value, kind in zip(values, self.entry.inputs)]
            results = _as_tuple(self.entry(*_given(tried, self.entry.inputs)), len(kinds))
            shapes = [numpy.shape(result) for result in results]
        return tuple(_described(kind, tuple(shape)) for kind, shape in zip(kinds, shapes))

    def call(self, *values):
        described = self.described_results(values)
        count = len(described)

        def run(*given):
            results = _as_tuple(self.entry(*_given(given, self.entry.inputs)), count)
            return tuple(numpy.asarray(result, each.dtype)
                         for result, each in zip(results, described))

        results = jax.pure_callback(run, described, *values, vmap_method="sequential")
        return results[0] if count == 1 else results

    def adjoints(self, values, seeds):
        entry = self.entry
        described = tuple(jax.ShapeDtypeStruct(numpy.shape(values[place]),
                                               dtype_of(_element(entry.inputs[place])))
                          for place in self.floats)
        if not any(_is_float(kind) for kind in entry.outputs):
            return tuple(numpy.zeros(each.shape, each.dtype) for each in described)
        kinds = (*entry.inputs, *entry.outputs)

        def run(*given):
            made = _as_tuple(entry.vjp(*_given(given, kinds)), len(self.floats))
            return tuple(numpy.asarray(each, kind.dtype).reshape(kind.shape)
                         for each, kind in zip(made, described))

        return jax.pure_callback(run, described, *values, *seeds, vmap_method="sequential")


def wrap(entry, shapes=None):
    """`entry` as a function of arrays that `jax.grad`, `jax.vjp` and `jax.jit` go through.

    Its arguments and results must be numbers and arrays of numbers.  JAX must know the shapes of
    the results before it calls: `shapes` gives them for the shapes of the arguments; without it
    they are seen from a call with zeros where JAX has no values yet.  Arguments of type f64 need
    `jax.config.update("jax_enable_x64", True)`.
    """
    _check(entry)
    wrapped = _Wrapped(entry, shapes)

    @jax.custom_vjp
    def call(*values):
        return wrapped.call(*values)

    def forward(*values):
        return wrapped.call(*values), values

    def backward(values, adjoints):
        seeds = _as_tuple(adjoints, len(entry.outputs))
        seeds = [seed if _is_float(kind)
                 else numpy.zeros(numpy.shape(seed), dtype_of(_element(kind)))
                 for seed, kind in zip(seeds, entry.outputs)]
        made = iter(wrapped.adjoints(values, seeds))
        return tuple(next(made) if place in wrapped.floats
                     else numpy.zeros(numpy.shape(value), jax.dtypes.float0)
                     for place, value in enumerate(values))

    call.defvjp(forward, backward)

    @functools.wraps(call.fun)
    def checked(*values):
        if len(values) != len(entry.inputs):
            raise TypeError(f"{entry.name} takes the arguments {', '.join(entry.parameters)}")
        # Numbers become arrays of the program's types, not of JAX's default ones.
        return call(*(value if hasattr(value, "dtype")
                      else numpy.asarray(value, dtype_of(_element(kind)))
                      for value, kind in zip(values, entry.inputs)))

    checked.__name__ = checked.__qualname__ = entry.name
    checked.__doc__ = entry.__doc__
    return checked
