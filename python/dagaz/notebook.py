"""Programs in notebooks: `%load_ext dagaz`, then cells that begin with

    %%dagaz [NAME] [--target=cuda] [--derivatives=loss]

The entry points of the cell become functions of the notebook, and NAME, if given, its module.
"""

import html
import shlex

from ._errors import CompileError
from ._module import compile


def run_cell(line, cell, namespace):
    """Compiles the cell, puts what it defines into `namespace`, and gives the module."""
    options = {}
    name = None
    for word in shlex.split(line):
        key, sign, value = word.partition("=")
        if word.startswith("--") and key[2:] in ("target", "cpu", "gpu") and sign:
            options[key[2:]] = value
        elif key == "--derivatives" and sign:
            options.setdefault("derivatives", []).append(value)
        elif key == "--safe" and not sign:
            options["safe"] = True
        elif word.isidentifier() and name is None:
            name = word
        else:
            raise ValueError(f"%%dagaz does not know {word!r}; it takes a name, --target, --cpu, "
                             "--gpu, --derivatives and --safe")
    module = compile(cell, name=name or "cell", **options)
    for entry in module.entries.values():
        namespace[entry.__name__] = entry
    if name is not None:
        namespace[name] = module
    return module


def _show_error(shell, kind, error, trace, tb_offset=None):
    """The compiler's message alone: how Python came there helps nobody who wrote a cell."""
    from IPython.display import HTML, display

    display(HTML(f"<pre>{html.escape(error.rendered)}</pre>"))


def register(shell):
    """Adds the cell magic to an IPython shell."""

    def dagaz(line, cell):
        run_cell(line, cell, shell.user_ns)

    shell.register_magic_function(dagaz, magic_kind="cell", magic_name="dagaz")
    if hasattr(shell, "set_custom_exc"):
        shell.set_custom_exc((CompileError,), _show_error)
