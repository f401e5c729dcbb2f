"""From a program to a shared library: finding the compiler, running it, keeping what it made.

Libraries are kept in the user's cache folder under a key made of everything that they depend on:
the text of the program and of what it imports, the compiler, its options and the processor.  Each is
built in a folder of its own and then renamed, so that processes that build the same one at once
end up with one of them and nobody ever sees half a library.
"""

import functools
import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import tempfile

from ._errors import CompileError, Diagnostic, Error

PREFIX = "program"


def compiler():
    """The compiler: $DAGAZ_COMPILER, the one in this package, or the one on the PATH."""
    chosen = os.environ.get("DAGAZ_COMPILER")
    if chosen:
        return pathlib.Path(chosen)
    bundled = pathlib.Path(__file__).parent / "_compiler" / "bin" / "dagaz"
    if bundled.exists():
        return bundled
    found = shutil.which("dagaz")
    # A console script of this package would only look for the compiler again.
    if found and not _is_script(found):
        return pathlib.Path(found)
    raise Error("the compiler `dagaz` was not found: put it on the PATH, or its path into "
                "DAGAZ_COMPILER")


def _is_script(path):
    with open(path, "rb") as file:
        return file.read(2) == b"#!"


def cache_folder():
    """Where libraries are kept: $DAGAZ_CACHE, or `dagaz` in the user's cache folder; if that is
    `off`, nowhere for long."""
    chosen = os.environ.get("DAGAZ_CACHE")
    if chosen == "off":
        return pathlib.Path(_folder_of_this_process().name)
    if chosen:
        folder = pathlib.Path(chosen)
    else:
        home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        folder = pathlib.Path(home) / "dagaz"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    state = folder.stat()
    # Code from this folder is run.
    if state.st_uid != os.getuid() or state.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise Error(f"the cache folder {folder} can be written by others: "
                    "choose another one by DAGAZ_CACHE")
    return folder


@functools.cache
def _folder_of_this_process():
    return tempfile.TemporaryDirectory(prefix="dagaz-")


def _text_with_imports(path, seen=None):
    """The file and all that it imports, as (path, bytes).

    Imports are found by their form.  What is none after all (inside a string) is no file, or makes
    the key depend on a file too many, which does no harm.
    """
    seen = {} if seen is None else seen
    path = pathlib.Path(path)
    if str(path) in seen:
        return seen
    try:
        content = path.read_bytes()
    except OSError:
        return seen  # of the standard library, or the compiler says that it is missing
    seen[str(path)] = content
    code = re.sub(rb"--[^\n]*", b"", content)
    for name in re.findall(rb'import\s*"([^"\n]*)"', code):
        _text_with_imports(path.parent / (os.fsdecode(name) + ".fut"), seen)
    return seen


def _state_of(path):
    state = os.stat(path)
    return [str(path), state.st_size, state.st_mtime_ns]


def _compiler_state(program):
    """What tells compilers apart, without running them."""
    program = program.resolve()
    here = program.parent
    parts = [program, here / "libdagaz_codegen.so", here / "runtime" / "libdagaz_runtime.a",
             here / ".." / "lib" / "dagaz" / "libdagaz_codegen.so",
             here / ".." / "lib" / "dagaz" / "libdagaz_runtime.a"]
    chosen = os.environ.get("DAGAZ_RUNTIME")
    if chosen:
        parts.append(pathlib.Path(chosen) / "libdagaz_runtime.a")
    return [_state_of(part) for part in parts if part.exists()]


def _processor():
    """The features of this processor: code for one does not run on another."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            lines = file.read(8192).split("\n\n", 1)[0].splitlines()
    except OSError:
        return os.uname().machine
    return [line for line in lines if line.startswith(("model name", "flags", "Features"))]


def _key(files, options, program):
    import hashlib

    described = {"compiler": _compiler_state(program), "options": options,
                 "processor": _processor(), "linker": os.environ.get("CC", "cc")}
    digest = hashlib.sha256(json.dumps(described, sort_keys=True).encode())
    for name, content in files.items():
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:40]


def build(source, options, cache=True):
    """The path of the library of the program at `source`, compiled if that was not done before."""
    source = os.path.abspath(source)
    return _build(_text_with_imports(source), source, options, cache, None)


def build_text(text, name, options, cache=True):
    """The same for a program given as text."""
    content = text.encode()
    return _build({name: content}, f"{name}.fut", options, cache, content)


def _build(files, source, options, cache, content):
    program = compiler()
    folder = cache_folder()
    kept = folder / f"{_key(files, options, program)}.so"
    if cache and kept.exists():
        return str(kept)
    with tempfile.TemporaryDirectory(dir=folder, prefix="building-") as work:
        if content is not None:
            (pathlib.Path(work) / source).write_bytes(content)
        _run(program, source, options, work)
        made = pathlib.Path(work) / "libprogram.so"
        os.replace(made, kept)
    return str(kept)


def _run(program, source, options, work):
    command = [str(program), "build", source, "--emit=shared", f"--prefix={PREFIX}",
               "-o", os.path.join(work, "program"), *options]
    done = subprocess.run([*command, "--diagnostics=json"], cwd=work, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    said = done.stderr.decode(errors="replace")
    if done.returncode == 0:
        return
    diagnostics = [Diagnostic.of(json.loads(line)) for line in said.splitlines()
                   if line.startswith('{"severity"')]
    if done.returncode != 1 or not diagnostics:
        raise Error(f"the compiler failed with status {done.returncode}:\n{said.strip()}")
    # Again, as a person reads it: that is what the message of the exception shows.
    shown = subprocess.run(command, cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, check=False)
    raise CompileError(shown.stderr.decode(errors="replace").rstrip(), diagnostics)
