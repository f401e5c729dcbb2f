"""Entry points as functions of PyTorch tensors, differentiated by Dagaz.

    loss = dagaz.torch.wrap(m.loss)
    loss(xs, ys, w).backward()

Tensors on the CPU are read in place, and what comes back is not copied either.
"""

import numpy
import torch

from ._values import ARRAY, SCALAR, dtype_of

_DTYPES = {"bool": torch.bool, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32,
           "i64": torch.int64, "u8": torch.uint8, "f16": torch.float16, "f32": torch.float32,
           "f64": torch.float64}


def _element(given):
    return given.leaves[0][0]


def _is_float(given):
    return _element(given).startswith("f")


def _check(entry):
    for given in (*entry.inputs, *entry.outputs):
        if given.kind not in (SCALAR, ARRAY) or _element(given) not in _DTYPES:
            raise TypeError(f"{entry.name} has a value of type {given.name}, which is no tensor")


def _given(value, wanted):
    """A tensor or number as an argument of the entry point."""
    if isinstance(value, torch.Tensor):
        value = value.detach()
        if wanted.kind == SCALAR:
            if value.numel() != 1:
                raise TypeError(f"one {wanted.name} is needed, not a tensor of shape "
                                f"{tuple(value.shape)}")
            return value.item()
        if value.device.type == "cpu":
            return value.contiguous().numpy()
    return value


def _tensor(value, wanted, like=None):
    """A result as a tensor, over the same memory; on the device of `like`."""
    if wanted.kind == SCALAR:
        made = torch.tensor(value, dtype=_DTYPES[_element(wanted)])
    elif isinstance(value, numpy.ndarray):
        # Memory that other values share is not PyTorch's to write to.
        made = torch.from_numpy(value if value.flags.writeable else value.copy())
    else:
        made = torch.from_dlpack(value)
    return made if like is None else made.to(like.device).reshape(like.shape)


def _as_tuple(value, count):
    return (value,) if count == 1 else tuple(value)


def _zero(wanted, like):
    """The adjoint of a result that nobody used, or of one that is no float."""
    if wanted.kind == SCALAR:
        return 0
    return numpy.zeros(like, dtype_of(_element(wanted)))


class _Call(torch.autograd.Function):
    @staticmethod
    def forward(ctx, entry, *values):
        given = [_given(value, wanted) for value, wanted in zip(values, entry.inputs)]
        results = _as_tuple(entry(*given), len(entry.outputs))
        made = tuple(_tensor(value, wanted) for value, wanted in zip(results, entry.outputs))
        ctx.entry = entry
        ctx.shapes = [tuple(each.shape) for each in made]
        ctx.tensors = [isinstance(value, torch.Tensor) for value in values]
        ctx.numbers = [None if is_tensor else value
                       for value, is_tensor in zip(values, ctx.tensors)]
        ctx.save_for_backward(*(value for value in values if isinstance(value, torch.Tensor)))
        for value, wanted in zip(made, entry.outputs):
            if not _is_float(wanted):
                ctx.mark_non_differentiable(value)
        return made if len(made) > 1 else made[0]

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, *adjoints):
        entry = ctx.entry
        saved = iter(ctx.saved_tensors)
        values = [next(saved) if is_tensor else number
                  for is_tensor, number in zip(ctx.tensors, ctx.numbers)]
        wanted = [place for place, needed in enumerate(ctx.needs_input_grad[1:]) if needed]
        gradients = [None] * len(values)
        if wanted:
            names = tuple(entry.parameters[place] for place in wanted)
            given = [_given(value, kind) for value, kind in zip(values, entry.inputs)]
            seeds = [_zero(kind, shape) if adjoint is None or not _is_float(kind)
                     else _given(adjoint, kind)
                     for adjoint, kind, shape in zip(adjoints, entry.outputs, ctx.shapes)]
            made = entry.with_respect_to(*names).vjp(*given, *seeds)
            for place, gradient in zip(wanted, _as_tuple(made, len(wanted))):
                gradients[place] = _tensor(gradient, entry.inputs[place], values[place])
        return (None, *gradients)


def wrap(entry):
    """`entry` as a function of tensors and numbers that `backward` goes through.

    Its arguments and results must be numbers and arrays of numbers.  An argument that the program
    consumes is copied.  The gradient itself has no derivative in PyTorch: differentiate in the
    program for second derivatives.
    """
    _check(entry)

    def call(*values, **named):
        if named:
            rest = entry.parameters[len(values):]
            values = (*values, *(named.pop(name) for name in rest if name in named))
        if named or len(values) != len(entry.parameters):
            raise TypeError(f"{entry.name} takes the arguments {', '.join(entry.parameters)}")
        return _Call.apply(entry, *values)

    call.__name__ = call.__qualname__ = entry.name
    call.__doc__ = entry.__doc__
    return call
