"""Dagaz: data-parallel array programs and their derivatives, called from Python.

    import dagaz
    m = dagaz.load("ridge.fut")
    m.step(xs, ys, w, 0.1)
    m.loss.value_and_grad(xs, ys, w)

docs/python.md is the guide.
"""

from ._errors import CompileError, Diagnostic, Error, OutOfMemoryError, ProgramError
from ._module import Entry, Module, compile, jit, load
from ._values import Array, Opaque

__version__ = "0.1.0"
__all__ = ["Array", "CompileError", "Diagnostic", "Entry", "Error", "Module", "Opaque",
           "OutOfMemoryError", "ProgramError", "compile", "jit", "load"]


def __getattr__(name):
    # Bindings for other libraries are imported when they are asked for.
    if name in ("torch", "jax", "notebook"):
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def load_ipython_extension(shell):
    """`%load_ext dagaz`: cells that begin with `%%dagaz` are programs."""
    from .notebook import register

    register(shell)
