"""Programs as Python objects: modules, and entry points as functions."""

import os

from . import _native, _ranks, _values
from ._values import Array, Opaque

_KINDS = ("vjp", "jvp", "value_and_grad")


class _Context(_native.Context):
    """A context with what its values need: the types, and where the program came from."""

    def attach(self, registry, origin, device_results):
        self.types = registry
        self.origin = origin
        self._on_host = self.library.target != "cuda" and not device_results
        self._install(self._first_array if self._on_host else None)

    def _install(self, wrap_array):
        # The hooks refer to the context itself; the collector knows.
        self.set_hooks(Array, Opaque, self._convert, wrap_array, self._unwrap)

    def _first_array(self, array):
        # NumPy is imported when it is needed: it takes longer than all of Dagaz.
        import numpy

        self._install(numpy.asarray)
        return numpy.asarray(array)

    def _unwrap(self, number, opaque):
        return self.types[number].unwrap(self, opaque)

    def _convert(self, number, rank, value):
        if rank is None:
            return self.types[number].wrap(self, value)
        return self.fitting(number, rank, value)

    def fitting(self, element, rank, value):
        """`value` as a dense array of exactly this type, without a copy where possible."""
        import numpy

        dtype = _values.dtype_of(element)
        if self.library.target == "cuda":
            device = getattr(value, "__cuda_array_interface__", None)
            if device is not None and _fits_on_device(device, dtype, rank):
                return self.adopt(element, device["data"][0], tuple(device["shape"]), value)
        if isinstance(value, Array):
            value = value.numpy()
        elif not isinstance(value, numpy.ndarray) and hasattr(value, "__dlpack__"):
            value = numpy.from_dlpack(value)
        if isinstance(value, (numpy.ndarray, numpy.generic)):
            array = numpy.asarray(value)
            if not numpy.can_cast(array.dtype, dtype, "safe"):
                raise TypeError(f"an array of {dtype} is needed, not of {array.dtype}; "
                                "convert it with .astype")
        else:
            array = numpy.asarray(value, dtype=dtype)
        if array.ndim != rank:
            raise TypeError(f"an array of rank {rank} is needed, not of shape {array.shape}")
        return numpy.require(array, dtype, ["C", "A"])


def _fits_on_device(described, dtype, rank):
    # Kernels read rows from addresses of 64 bytes.
    return (described["typestr"] == dtype.str and len(described["shape"]) == rank and
            described.get("strides") is None and described["data"][0] % 64 == 0)


class Entry(_native.Entry):
    """An entry point: call it with positional or named arguments."""

    def __init__(self, module, number, name, documentation, inputs, outputs):
        names = [_values.python_name(given) if given else f"x{i}"
                 for i, (given, _, _) in enumerate(inputs)]
        # Names that occur twice can be given by position only.
        names = [f"{name}_{i}" if names.count(name) > 1 else name for i, name in enumerate(names)]
        super().__init__(module.context, number, tuple(names))
        self.module = module
        self.name = self.__name__ = self.__qualname__ = name
        self.parameters = tuple(names)
        self._source_names = {python: source for python, (source, _, _) in zip(names, inputs)}
        types = module.context.types
        self.inputs = tuple(types[number] for _, number, _ in inputs)
        self.outputs = tuple(types[number] for _, number, _ in outputs)
        if len(self.outputs) == 1 and self.outputs[0].is_tuple:
            # One value of the C interface, several of Python.
            self.outputs = tuple(types[part] for _, (part,) in self.outputs[0].members)
        self.consumes = tuple(unique for _, _, unique in inputs)
        self._documentation = documentation

    @property
    def __doc__(self):
        arguments = ", ".join(f"{name}: {'*' if consumed else ''}{given.name}"
                              for name, given, consumed in
                              zip(self.parameters, self.inputs, self.consumes))
        results = ", ".join(given.name for given in self.outputs)
        if len(self.outputs) != 1:
            results = f"({results})"
        head = f"{self.name}({arguments}) -> {results}"
        return f"{head}\n\n{self._documentation}" if self._documentation else head

    @property
    def __signature__(self):
        from inspect import Parameter, Signature

        parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, annotation=given.name)
                      for name, given in zip(self.parameters, self.inputs)]
        results = tuple(given.name for given in self.outputs)
        return Signature(parameters,
                         return_annotation=results[0] if len(results) == 1 else results)

    def __repr__(self):
        return f"<dagaz entry point {self.__doc__.splitlines()[0]}>"

    def __reduce__(self):
        return (_entry_of, (self.module.origin, self.name))

    def with_respect_to(self, *names):
        """The derivatives with respect to these arguments only."""
        return Derivatives(self, names)

    @property
    def vjp(self):
        """vjp(*arguments, *adjoints of the results): the adjoints of the arguments."""
        return Derivatives(self, ()).vjp

    @property
    def jvp(self):
        """jvp(*arguments, *tangents of the arguments): the tangents of the results."""
        return Derivatives(self, ()).jvp

    @property
    def value_and_grad(self):
        """value_and_grad(*arguments): the value, one float, and its gradient."""
        return Derivatives(self, ()).value_and_grad


class Derivatives:
    """The derivatives of an entry point with respect to some of its arguments, or to all that hold
    floats; compiled when the first of them is asked for."""

    def __init__(self, entry, names):
        for name in names:
            if name not in entry.parameters:
                raise ValueError(f"{entry.name} has no argument {name!r}: its arguments are "
                                 f"{', '.join(entry.parameters)}")
        self._entry = entry
        every = {name for name, given in zip(entry.parameters, entry.inputs)
                 if given.holds_floats}
        if set(names) == every:
            names = ()
        self._names = tuple(entry._source_names[name] for name in entry.parameters
                            if name in names)
        if not all(self._names):
            raise ValueError(f"{entry.name} has an argument without a name: it can only be "
                             "differentiated with all others")

    def _get(self, kind):
        entry = self._entry
        module = entry.module.derivatives_of(entry.name, self._names)
        made = module.entries.get(f"{entry.name}_{kind}")
        if made is None:
            raise AttributeError(f"{entry.name} has no {kind}: its result is not one float; "
                                 "use vjp with the weights of the results")
        return made

    vjp = property(lambda self: self._get("vjp"))
    jvp = property(lambda self: self._get("jvp"))
    value_and_grad = property(lambda self: self._get("value_and_grad"))


class Module:
    """A compiled program with a context: its entry points are attributes.

    `m.NAME` is the entry point NAME, or the class of values of the record or sum type NAME, where
    that is not the name of something else here; `m.entries` and `m.types` have all of them.
    """

    def __init__(self, library, origin, settings, known_types=None):
        self.library = library
        self.origin = origin
        self._settings = dict(settings)
        options = dict(settings)
        communicator = options.get("communicator")
        if communicator is not None:
            options["communicator"] = _ranks.address_of(communicator)
        # What several processes have together is fetched only if they all ask.
        default = "host" if communicator is None else "device"
        device_results = options.pop("results", default) == "device"
        context = _Context(library, **options)
        context.attach(_values.Registry(library, origin, known_types), origin, device_results)
        self.context = context
        self.types = {each.name: each.python_class for each in context.types if each.python_class}
        self._derivatives = {}
        self.entries = {}
        for number, name, documentation, inputs, outputs in library.entries:
            if name is None or not name.isprintable() or any(c.isspace() for c in name):
                continue  # what computes the constants
            self.entries[name] = Entry(self, number, name, documentation, inputs, outputs)

    def __getattr__(self, name):
        for table in (self.__dict__.get("entries", {}), self.__dict__.get("types", {})):
            if name in table:
                return table[name]
            for known, value in table.items():
                if _values.python_name(known) == name:
                    return value
        # Of `name` and `obj` the interpreter makes "Did you mean: …?".
        raise AttributeError(f"the program has no entry point or type {name!r}; it has "
                             f"{', '.join(self.__dict__.get('entries', {}))}", name=name, obj=self)

    def __dir__(self):
        return [*super().__dir__(), *map(_values.python_name, self.entries),
                *map(_values.python_name, self.types)]

    def __repr__(self):
        return (f"<dagaz.Module {self.origin.name} ({self.library.target}): "
                f"{', '.join(self.entries)}>")

    def __reduce__(self):
        return (_module_of, (self.origin,))

    def array(self, value, dtype=None):
        """`value` copied to the device, to be given to several calls."""
        return self.context.array(*_dense(value, dtype))

    def rows(self, n):
        """(first, count): which of `n` rows are this process's, where several run the program."""
        return self.context.rows(n)

    def part(self, rows, n, dtype=None):
        """An array of `n` rows of which each process passes its own; those stay where they are."""
        element, rank, array = _dense(rows, dtype)
        if rank == 0:
            raise TypeError("an array is needed, not a scalar")
        return self.context.part(element, rank, array, n)

    def new_context(self, **settings):
        """The same program with a context of its own: another device, other options, or a second
        thread that does not wait for the first."""
        return Module(self.library, self.origin, {**self._settings, **settings})

    def derivatives_of(self, name, arguments=()):
        """The module that has the derivatives of the entry point `name`."""
        if all(f"{name}_{kind}" in self.entries for kind in _KINDS[:2]) and not arguments:
            return self  # asked for when the program was compiled
        key = (name, arguments)
        if key not in self._derivatives:
            wanted = f"{name}:{','.join(arguments)}" if arguments else name
            origin = self.origin.with_option(f"--derivatives={wanted}")
            self._derivatives[key] = Module(origin.library(), origin, self._settings,
                                            self.context.types)
        return self._derivatives[key]

    def sync(self):
        """Waits until the device has done all that was asked."""
        self.context.sync()

    def report(self):
        """What profiling has counted (`load(…, profiling=1)`), as a dictionary."""
        import json

        return json.loads(self.context.report())


def _dense(value, dtype):
    """Element type, rank, and `value` as a dense NumPy array."""
    import numpy

    array = numpy.asarray(value, dtype=dtype)
    kind = f"{array.dtype.kind}{array.dtype.itemsize}".replace("b1", "?")
    if kind not in _values.DTYPES:
        raise TypeError(f"programs have no elements of type {array.dtype}")
    return _values.DTYPES.index(kind), array.ndim, numpy.require(array, requirements=["C", "A"])


class Origin:
    """Where a program came from: enough to compile it again, in another process too."""

    def __init__(self, path=None, text=None, name="program", options=(), cache=True):
        self.path = None if path is None else os.path.abspath(path)
        self.text = text
        self.name = name if path is None else os.path.basename(path)
        self.options = tuple(options)
        self.cache = cache

    def with_option(self, option):
        options = [each for each in self.options if not each.startswith("--derivatives=")]
        return Origin(self.path, self.text, self.name, (*options, option), self.cache)

    def key(self):
        return (self.path, self.text, self.name, self.options)

    def library(self):
        from . import _build  # and what it imports takes longer than the rest of the package

        if self.path is not None:
            made = _build.build(self.path, list(self.options), self.cache)
        else:
            made = _build.build_text(self.text, self.name, list(self.options), self.cache)
        return _native.Library(made, _build.PREFIX)


def _options(target, optimise, safe, cpu, gpu, derivatives):
    options = [f"--target={target}", f"--cpu={cpu}"]
    if gpu is not None:
        options.append(f"--gpu={gpu}")
    if not optimise:
        options.append("-O0")
    if safe:
        options.append("--safe")
    if isinstance(derivatives, str):
        derivatives = [derivatives]
    options += [f"--derivatives={each}" for each in derivatives]
    return options


def load(path, *, target="cpu", derivatives=(), optimise=True, safe=False, cpu="native", gpu=None,
         cache=True, communicator=None, **settings):
    """The program in the file `path`, compiled unless that was done before.

    target       "cpu", "cuda" or "sim"
    derivatives  entry points whose derivatives to compile at once: "loss", "loss:w,b" or "all"
    optimise, safe, cpu, gpu
                 as of `dagaz build`
    cache        whether a library kept from before may be used
    communicator of mpi4py: its processes, which all load the program, run it together
    settings     of the context: num_threads, device, memory_cap, profiling, logging, debugging,
                 unified_memory, cache_file, stream, check_ranks (seconds that processes wait for each
                 other), params (tuning parameters), and results: "device" to get every array as a
                 dagaz.Array
    """
    options = _options(target, optimise, safe, cpu, gpu, derivatives)
    origin = Origin(path=os.fspath(path), options=options + _ranks.options(communicator),
                    cache=cache)
    return Module(origin.library(), origin, _with(settings, communicator))


def compile(text, *, name="program", target="cpu", derivatives=(), optimise=True, safe=False,
            cpu="native", gpu=None, cache=True, communicator=None, **settings):
    """The program that `text` is; `name` stands for its file in messages.  See `load`.

    It can import the standard library."""
    options = _options(target, optimise, safe, cpu, gpu, derivatives)
    origin = Origin(text=text, name=name, options=options + _ranks.options(communicator),
                    cache=cache)
    return Module(origin.library(), origin, _with(settings, communicator))


def _with(settings, communicator):
    return settings if communicator is None else {**settings, "communicator": communicator}


def jit(text, **options):
    """The only entry point of the program that `text` is: `f = jit("entry f (x: f64) = x * x")`."""
    module = compile(text, **options)
    if len(module.entries) != 1:
        raise ValueError(f"a program with one entry point is needed; this one has "
                         f"{', '.join(module.entries) or 'none'}")
    return next(iter(module.entries.values()))


# ---------------------------------------------------------------- pickles

_known_modules = {}


def _module_of(origin):
    """The module of a pickle: one for each program and process."""
    key = origin.key()
    if key not in _known_modules:
        _known_modules[key] = Module(origin.library(), origin, {})
    return _known_modules[key]


def _entry_of(origin, name):
    return _module_of(origin).entries[name]


def restored(origin, type_name, content):
    context = _module_of(origin).context
    return context.restore(context.types.named(type_name).number, content)


def made_of(origin, type_name, constructor, parts):
    python_class = _module_of(origin).types[type_name]
    if constructor is None:
        return python_class(*parts)
    return next(each for each in python_class.variants if each.constructor == constructor)(*parts)
