"""Values of programs as Python values, and back.

Scalars are Python numbers.  Arrays are NumPy arrays where the device's memory is the host's, else
`Array`.  Records are named tuples, tuples are tuples, a value of a sum type is an instance of the
class of its constructor, arrays of records and sums are `Opaque`, which also is what types
are whose parts the program does not show.
"""

import keyword
import re

from . import _native

SCALAR, ARRAY, OPAQUE = range(3)
RECORD, SUM, OPAQUE_ARRAY, UNKNOWN = range(4)
ELEMENTS = ("bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64")
DTYPES = ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")


def dtype_of(element):
    """The NumPy dtype of an element type's name or number."""
    import numpy

    number = element if isinstance(element, int) else ELEMENTS.index(element)
    return numpy.dtype(DTYPES[number])


def python_name(name):
    """`name` as Python may write it: primes and keywords are changed."""
    name = re.sub(r"\W", "_", name)
    if not name or name[0].isdigit() or name[0] == "_":
        name = "x" + name
    return name + "_" if keyword.iskeyword(name) else name


class Array(_native.Array):
    """An array of scalars on the device of its context.

    NumPy, DLPack and, for GPUs, the CUDA array interface see its memory without a copy, for reading
    where other values share it.  After a call that consumes it, it is gone.
    """

    __slots__ = ()

    @property
    def dtype(self):
        return dtype_of(self.element)

    @property
    def size(self):
        return self.nbytes // self.dtype.itemsize

    @property
    def T(self):
        return self.numpy().T

    @property
    def __cuda_array_interface__(self):
        if self.context.library.target != "cuda":
            raise AttributeError("the array is not on a GPU")
        self.context.sync()
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.pointer, False),
                "version": 3, "strides": None}

    @property
    def __array_interface__(self):
        if self.context.library.target == "cuda":
            raise AttributeError("the array is on the device; copy it with .numpy()")
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.pointer, True),
                "version": 3, "strides": None}

    def numpy(self):
        """The elements as a NumPy array: the same memory if it is the host's, else a copy."""
        import numpy

        if self.context.library.target != "cuda":
            return numpy.asarray(memoryview(self))
        copy = numpy.empty(self.shape, self.dtype)
        self._to_host(copy)
        return copy

    def part(self):
        """The rows of this process, where several run the program together: a NumPy array."""
        import numpy

        count = self.context.rows(self.shape[0])[1]
        copy = numpy.empty((count, *self.shape[1:]), self.dtype)
        self._part_to_host(copy)
        return copy

    def __array__(self, dtype=None, copy=None):
        array = self.numpy()
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        return array.copy() if copy else array

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, index):
        return self.numpy()[index]

    def __iter__(self):
        return iter(self.numpy())

    def __float__(self):
        return float(self.numpy())

    def tolist(self):
        return self.numpy().tolist()

    def __repr__(self):
        if self.consumed:
            return "<dagaz.Array, consumed>"
        return f"dagaz.Array({self.numpy()!r})"

    def __reduce__(self):
        # A context does not travel; a NumPy array may be given wherever this one may.
        return (_identity, (self.numpy().copy(),))


def _identity(value):
    return value


class Opaque(_native.Opaque):
    """A value that Python sees as a whole, or an array of records or sums."""

    __slots__ = ()

    @property
    def type_name(self):
        return self.context.types[self._type].name

    @property
    def shape(self):
        return self._shape

    def __len__(self):
        return self._shape[0]

    def __getitem__(self, index):
        shape = self._shape
        index = index if isinstance(index, tuple) else (index,)
        if len(index) != len(shape):
            raise IndexError(f"{self.type_name} needs {len(shape)} indices")
        at = tuple(i + n if i < 0 else i for i, n in zip(index, shape))
        if not all(0 <= i < n for i, n in zip(at, shape)):
            raise IndexError(f"index {index} is out of bounds for shape {shape}")
        return self._index(at)

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def columns(self):
        """An array of records as a record of arrays."""
        return self.context.types[self._type].columns(self)

    def __repr__(self):
        return f"<dagaz.Opaque {self.type_name}>"

    def __reduce__(self):
        from ._module import restored

        return (restored, (self.context.origin, self.type_name, self._store()))


class Sum:
    """A value of a sum type: an instance of the class of its constructor.

    `m.shape.circle(2.0)` makes one; `match` takes it apart.
    """

    __slots__ = ("payload",)
    __match_args__ = ()
    constructor = None
    arity = 0

    def __init__(self, *payload):
        if len(payload) != self.arity:
            raise TypeError(f"#{self.constructor} takes {self.arity} values, not {len(payload)}")
        object.__setattr__(self, "payload", payload)

    def __setattr__(self, name, value):
        raise AttributeError("values of sum types do not change")

    def __eq__(self, other):
        return type(self) is type(other) and self.payload == other.payload

    def __hash__(self):
        return hash((self.constructor, self.payload))

    def __repr__(self):
        return f"{type(self).__qualname__}({', '.join(map(repr, self.payload))})"

    def __reduce__(self):
        from ._module import made_of

        return (made_of, (self.origin, self.type_name, self.constructor, self.payload))


def _payload_property(index):
    return property(lambda self: self.payload[index])


class Type:
    """A type of the interface, and how its values look in Python."""

    def __init__(self, registry, number, described):
        name, self.kind, self.opaque_kind, self.leaves, self.members, self.element_type, rank = (
            described)
        self.registry = registry
        self.number = number
        self.name = name
        self.rank = rank
        self.holds_floats = any(element[0] == "f" for element, _ in self.leaves)
        self.python_class = None
        names = [name for name, _ in self.members]
        self.is_record = self.kind == OPAQUE and self.opaque_kind == RECORD
        self.is_sum = self.kind == OPAQUE and self.opaque_kind == SUM
        self.is_tuple = self.is_record and names == [str(i) for i in range(len(names))]
        self.has_class = self.is_sum or (self.is_record and not self.is_tuple)

    def structure(self):
        """What two types must agree on for their values to be of one class: a type without a name
        in one place has one in another."""
        if self.kind != OPAQUE or self.opaque_kind == UNKNOWN:
            return self.name
        if self.opaque_kind == OPAQUE_ARRAY:
            element = self.element_type
            return (self.rank, self.registry[element].structure() if element >= 0 else self.name)
        return (self.opaque_kind, tuple(
            (name, tuple(self.registry[number].structure() for number in types))
            for name, types in self.members))

    # ------------------------------------------------------------ to Python

    def unwrap(self, context, opaque):
        if self.opaque_kind == RECORD:
            fields = [opaque._project(i) for i in range(len(self.members))]
            return tuple(fields) if self.is_tuple else self.python_class(*fields)
        if self.opaque_kind == SUM:
            variant = opaque._variant()
            return self.python_class.variants[variant](*opaque._destruct(variant))
        return opaque

    def columns(self, opaque):
        record = self.registry[self.element_type] if self.element_type >= 0 else None
        if record is None or record.opaque_kind != RECORD:
            raise TypeError(f"{self.name} is no array of records")
        fields = [opaque._column(i) for i in range(len(record.members))]
        return tuple(fields) if record.is_tuple else record.python_class(*fields)

    # ------------------------------------------------------------ from Python

    def wrap(self, context, value):
        """An Opaque of `context` that holds `value`."""
        if isinstance(value, Opaque):
            if value.type_name != self.name:
                raise TypeError(f"a value of type {self.name} is needed, not of {value.type_name}")
            return context.restore(self.number, value._store())
        if self.opaque_kind == RECORD:
            return context.new_record(self.number, self._fields(value))
        if self.opaque_kind == SUM:
            return self._wrap_sum(context, value)
        if self.opaque_kind == OPAQUE_ARRAY and self.element_type >= 0:
            return self._wrap_array(context, value)
        raise TypeError(f"a value of type {self.name} comes of a call only")

    def _fields(self, value):
        """The parts of a record: by position of a tuple, otherwise by name."""
        names = [name for name, _ in self.members]
        if isinstance(value, (tuple, list)):
            if len(value) != len(names):
                raise TypeError(f"{self.name} has {len(names)} parts, not {len(value)}")
            known = getattr(value, "_fields", None)
            if known is None or self.is_tuple:
                return tuple(value)
        try:
            if isinstance(value, dict):
                return tuple(value[name] if name in value else value[python_name(name)]
                             for name in names)
            return tuple(getattr(value, python_name(name)) for name in names)
        except (KeyError, AttributeError) as error:
            raise TypeError(f"{self.name} needs the field {error}") from None

    def _wrap_sum(self, context, value):
        constructor = getattr(value, "constructor", None)
        for variant, (name, _) in enumerate(self.members):
            if name == constructor:
                return context.new_sum(self.number, variant, tuple(value.payload))
        raise TypeError(f"a value of type {self.name} is needed, not {value!r}")

    def _wrap_array(self, context, value):
        record = self.registry[self.element_type]
        if record.opaque_kind == RECORD and _is_columns(value, record):
            return context.zip(self.number, record._fields(value))
        shape, elements = _flattened(value, self.rank, self.name)
        return context.new_array(self.number, tuple(elements), shape)


def _is_columns(value, record):
    if isinstance(value, dict):
        return True
    if record.is_tuple:
        return isinstance(value, tuple)
    return record.python_class is not None and isinstance(value, record.python_class)


def _flattened(value, rank, name):
    """The sizes of nested sequences, and what is in them in order."""
    shape, elements = [], list(value) if rank else [value]
    shape.append(len(elements))
    for _ in range(rank - 1):
        rows = [list(row) for row in elements]
        sizes = {len(row) for row in rows}
        if len(sizes) > 1:
            raise TypeError(f"the rows of a value of type {name} differ in length")
        shape.append(sizes.pop() if sizes else 0)
        elements = [element for row in rows for element in row]
    return tuple(shape), elements


def _record_class(registry, described):
    from collections import namedtuple

    names = [python_name(name) for name, _ in described.members]
    base = namedtuple(python_name(described.name), names, rename=True)
    origin, type_name = registry.origin, described.name

    def reduce(self):
        from ._module import made_of

        return (made_of, (origin, type_name, None, tuple(self)))

    return type(base.__name__, (base,), {"__slots__": (), "__reduce__": reduce,
                                         "__doc__": f"A record of type {type_name}."})


def _sum_class(registry, described):
    name = python_name(described.name)
    base = type(name, (Sum,), {"__slots__": (), "origin": registry.origin,
                               "type_name": described.name,
                               "__doc__": f"A value of type {described.name}."})
    base.variants = []
    for constructor, payload in described.members:
        places = tuple(f"v{i}" for i in range(len(payload)))
        members = {"__slots__": (), "constructor": constructor, "arity": len(payload),
                   "__match_args__": places, "__qualname__": f"{name}.{python_name(constructor)}"}
        members.update((place, _payload_property(i)) for i, place in enumerate(places))
        variant = type(python_name(constructor), (base,), members)
        base.variants.append(variant)
        setattr(base, python_name(constructor), variant)
    return base


class Registry(list):
    """The types of one library, in the order of its numbers."""

    def __init__(self, library, origin, known=None):
        super().__init__()
        self.origin = origin
        described = library.types
        for number, each in enumerate(described):
            self.append(Type(self, number, each))
        # Derivatives are compiled into libraries of their own: their values have the same classes.
        classes = {other.structure(): other.python_class for other in known or ()}
        # Types that have names come first: their classes are called after them.
        for own in sorted(self, key=lambda own: not own.name.isidentifier()):
            if own.has_class:
                structure = own.structure()
                if structure not in classes:
                    make = _sum_class if own.is_sum else _record_class
                    classes[structure] = make(self, own)
                own.python_class = classes[structure]

    def named(self, name):
        return next((each for each in self if each.name == name), None)
