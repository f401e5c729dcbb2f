"""What goes wrong, as exceptions."""

from ._native import Error, OutOfMemoryError, ProgramError

__all__ = ["CompileError", "Diagnostic", "Error", "OutOfMemoryError", "ProgramError"]


class Diagnostic:
    """One error or warning of the compiler.

    `file`, `line`, `column`, `end_line` and `end_column` are None where it has no place; lines and
    columns count from 1.
    """

    __slots__ = ("severity", "kind", "message", "file", "line", "column", "end_line", "end_column",
                 "hints")

    def __init__(self, severity, kind, message, place, hints):
        self.severity = severity
        self.kind = kind
        self.message = message
        self.hints = tuple(hints)
        for name in ("file", "line", "column", "end_line", "end_column"):
            setattr(self, name, place.get(name))

    @classmethod
    def of(cls, described):
        """From the compiler's JSON."""
        return cls(described["severity"], described["kind"], described["message"],
                   described["range"] or {}, described["hints"])

    def __repr__(self):
        place = f"{self.file}:{self.line}:{self.column}: " if self.file else ""
        return f"<{place}{self.severity}[{self.kind}]: {self.message}>"


class CompileError(Error):
    """The program is wrong: `str()` is what the compiler prints, `diagnostics` the same as data."""

    def __init__(self, rendered, diagnostics):
        super().__init__(rendered)
        self.rendered = rendered
        self.diagnostics = diagnostics

    def __reduce__(self):
        return (CompileError, (self.rendered, self.diagnostics))
