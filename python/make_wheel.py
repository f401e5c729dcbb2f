#!/usr/bin/env python3
"""Packs a folder with the installed compiler and the package into a wheel.

usage: make_wheel.py STAGE OUT

Shared libraries that the compiler and compiled programs need are added, but for those of glibc and
of gcc, which every Linux with a C compiler has.  The tag of the wheel says which glibc is needed: the
newest version of a symbol in anything packed.
"""
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

VERSION = '0.1.0'
# What the wheel does not bring: `manylinux` promises these.
OF_THE_SYSTEM = re.compile(r'(ld-linux|lib(c|m|dl|rt|pthread|mvec|stdc\+\+|gcc_s))[-.]')
METADATA = f'''Metadata-Version: 2.1
Name: dagaz
Version: {VERSION}
Summary: A compiler for data-parallel array programs and their derivatives
License: Apache-2.0
Requires-Python: >=3.11
Requires-Dist: numpy
Provides-Extra: torch
Requires-Dist: torch; extra == 'torch'
Provides-Extra: jax
Requires-Dist: jax; extra == 'jax'

'''


def needed(file):
    """The shared libraries that `file` loads, by the loader of this machine."""
    listed = subprocess.run(['ldd', str(file)], stdout=subprocess.PIPE, check=True).stdout.decode()
    found = re.findall(r'^\s*(\S+) => (/\S+)', listed, re.M)
    return {name: path for name, path in found if not OF_THE_SYSTEM.match(name)}


def dynamic(file, tag):
    """The values of that tag in the dynamic section of `file`."""
    listed = subprocess.run(['readelf', '-d', str(file)], stdout=subprocess.PIPE, check=True,
                            env=dict(os.environ, LC_ALL='C')).stdout.decode()
    return re.findall(rf'\({tag}\).*\[(.*)\]', listed)


def folders_of(libraries, folder):
    """Where each library is looked for: in `folder`, which libdagaz_codegen.so names for itself and
    for all behind it, but for what a library with a RUNPATH of its own loads."""
    places = {name: folder for name in libraries}
    for path in libraries.values():
        for run_path in dynamic(path, 'RUNPATH'):
            if not run_path.startswith('$ORIGIN'):
                raise SystemExit(f'{path} looks for libraries in {run_path}')
            own = (folder / run_path.replace('$ORIGIN', '.')).resolve()
            places.update((name, own) for name in dynamic(path, 'NEEDED') if name in libraries)
    return places


def link_script(path, text):
    path.write_text(f'/* GNU ld script */\n{text}\n')


def add_libraries(compiler):
    """Everything where the loader finds it without being told."""
    folder = compiler / 'lib' / 'dagaz'
    libraries = {}
    for file in (compiler / 'bin' / 'dagaz', folder / 'libdagaz_codegen.so'):
        libraries.update(needed(file))
    of_programs = {}
    for name in ('libhwy_contrib.so.1', 'libboost_context.so'):
        of_programs.update(library_of_programs(name))
    libraries.update(of_programs)
    for name, place in folders_of(libraries, folder.resolve()).items():
        place.mkdir(exist_ok=True)
        source = pathlib.Path(libraries[name]).resolve()
        # What the installation brings is there already, behind a link.
        (os.replace if source.is_relative_to(compiler.resolve()) else shutil.copyfile)(
            source, place / name)
        (place / name).chmod(0o755)
    for name in of_programs:
        # The name that -l looks for; an archive of a wheel has no links.
        link_script(folder / re.sub(r'\.so.*', '.so', name), f'INPUT({name})')
    # Without g++ there is the library but not the name that -lstdc++ looks for.
    link_script(folder / 'libstdc++.so', 'INPUT(-l:libstdc++.so.6)')


def name_libraries(compiler):
    """What links programs by pkg-config finds these libraries, and so do the programs."""
    file = compiler / 'lib' / 'pkgconfig' / 'dagaz.pc'
    folder = '${prefix}/lib/dagaz'
    file.write_text(file.read_text().replace('Libs:', f'Libs: -L{folder} -Wl,-rpath,{folder}'))


def library_of_programs(name):
    """A library that compiled programs need, under the name by which they load it."""
    listed = subprocess.run(['ldconfig', '-p'], stdout=subprocess.PIPE, check=True,
                            env=dict(os.environ, PATH=os.environ['PATH'] + ':/sbin:/usr/sbin'))
    found = re.search(rf'^\s*({re.escape(name)}\S*) .*=> (\S+)$', listed.stdout.decode(), re.M)
    if found is None:
        raise SystemExit(f'{name} is not installed')
    return {found[1]: found[2]}


def glibc_of(files):
    """The newest glibc that any of the files asks for, as (major, minor)."""
    newest = (2, 28)
    for file in files:
        listed = subprocess.run(['objdump', '-T', str(file)], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, check=False).stdout.decode()
        for major, minor in re.findall(r'\(?GLIBC_(\d+)\.(\d+)', listed):
            newest = max(newest, (int(major), int(minor)))
    return newest


def pack(stage, out):
    binaries = [file for file in stage.rglob('*')
                if file.is_file() and file.read_bytes()[:4] == b'\x7fELF']
    tag = 'cp311-abi3-manylinux_{}_{}_{}'.format(*glibc_of(binaries), os.uname().machine)
    info = stage / f'dagaz-{VERSION}.dist-info'
    info.mkdir()
    (info / 'METADATA').write_text(METADATA)
    (info / 'WHEEL').write_text(f'Wheel-Version: 1.0\nGenerator: dagaz\nRoot-Is-Purelib: false\n'
                                f'Tag: {tag}\n')
    (info / 'entry_points.txt').write_text('[console_scripts]\ndagaz = dagaz._cli:main\n')
    record = info / 'RECORD'
    rows = []
    out.mkdir(parents=True, exist_ok=True)
    wheel = out / f'dagaz-{VERSION}-{tag}.whl'
    with zipfile.ZipFile(wheel, 'w', zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(stage.rglob('*')):
            if not file.is_file() or '__pycache__' in file.parts:
                continue
            name = str(file.relative_to(stage))
            content = file.read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=')
            rows.append(f'{name},sha256={digest.decode()},{len(content)}')
            add(archive, name, content, file.stat().st_mode)
        rows.append(f'{record.relative_to(stage)},,')
        add(archive, str(record.relative_to(stage)), '\n'.join(rows).encode() + b'\n', 0o100644)
    return wheel


def add(archive, name, content, mode):
    """With a fixed date, so that the same files are the same wheel."""
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.external_attr = (mode & 0xffff) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)


def main():
    stage, out = map(pathlib.Path, sys.argv[1:3])
    add_libraries(stage / 'dagaz' / '_compiler')
    name_libraries(stage / 'dagaz' / '_compiler')
    wheel = pack(stage, out)
    print(f'{wheel} ({wheel.stat().st_size / 2**20:.0f} MiB)')


if __name__ == '__main__':
    main()
