#!/usr/bin/env python3
"""The packages of a build, and the sources, in empty roots of distributions, used from there alone.

usage: roots.py BUILD FOLDER [--suites SUITE…] [--kinds KIND…]
  SUITE: bookworm, trixie (Debian 12 and 13), noble (Ubuntu 24.04); default: bookworm
  KIND:  deb, tar.gz, whl: that package, with no development files of LLVM; the demo, the examples'
         tests and the commands of the tutorial run.  These three are the default.
         sources: install-dependencies.sh, the configuration and a first library.
         demo: ./demo.sh on the sources, which builds everything.

FOLDER, outside of the project, keeps the packages and what is downloaded.  Every suite is made by
debootstrap once; each kind gets a copy of it.

Ends with 77, which ctest shows as skipped, without root's rights, debootstrap or network.
"""
import argparse
import hashlib
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time
import urllib.request

DEBIAN, UBUNTU = 'http://deb.debian.org/debian', 'http://archive.ubuntu.com/ubuntu'
MIRRORS = {'bookworm': DEBIAN, 'trixie': DEBIAN, 'noble': UBUNTU}
# Debian does not bring the keys of Ubuntu; these are the ones that `noble` itself has.
UBUNTU_KEYS = (f'{UBUNTU}/pool/main/u/ubuntu-keyring/ubuntu-keyring_2023.11.28.1_all.deb',
               '36de43b15853ccae0028e9a767613770c704833f82586f28eb262f0311adb8a8')
ENVIRONMENT = {'PATH': '/usr/sbin:/usr/bin:/sbin:/bin', 'HOME': '/root', 'LC_ALL': 'C.UTF-8',
               'DEBIAN_FRONTEND': 'noninteractive', 'NO_COLOR': '1'}
# What the tutorial uses beside Dagaz.
TOOLS = 'cmake make pkg-config python3 python3-numpy'
# What of the project a user of a package has looked at.
SHOWN = ['README.md', 'demo.sh', 'docs', 'examples', 'bench/programs', 'tests/documents']


def skip(reason):
    print(f'[SKIP] roots: {reason}')
    sys.exit(77)


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f'{" ".join(map(str, command))}\n{done.stdout[-6000:]}')
    return done.stdout


class Root:
    """A folder with a distribution, in which commands run."""

    def __init__(self, folder, archives, environment):
        self.folder, self.archives = folder, archives
        self.environment = {**ENVIRONMENT, **environment}

    def run(self, command):
        inside = (f'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && '
                  f'mount --bind {self.archives} "$1/var/cache/apt/archives" && '
                  f'exec chroot "$1" /bin/bash -ec "$2"')
        return run('unshare', '--mount', '--fork', 'sh', '-ec', inside, 'sh', self.folder, command,
                   env=self.environment)

    def install(self, packages):
        self.run(f'apt-get update -q && apt-get install -qy --no-install-recommends {packages}')


def deb(root, package):
    """As a user does: what else is needed follows from the package."""
    root.install(f'{package} {TOOLS}')


def archive(root, package):
    root.install(f'g++ libllvm19 libhwy-dev {TOOLS}')
    root.run(f'mkdir /opt/dagaz && tar -xzf {package} -C /opt/dagaz --strip-components=1')


def wheel(root, package):
    root.install('gcc libc6-dev python3-venv python3-numpy')
    root.run(f'python3 -m venv --system-site-packages /opt/dagaz && '
             f'/opt/dagaz/bin/pip install -q --no-index {package}')
    root.run('cd /tmp && printf "entry f (x: f64) = x * x\n" > f.fut && dagaz build f.fut && '
             'test "$(echo 3 | ./f -e f)" = 9.0f64')  # with a C compiler alone
    root.install(f'g++ {TOOLS}')
    prefix = root.run('python3 -m dagaz --prefix').strip()
    root.environment['PKG_CONFIG_PATH'] = f'{prefix}/lib/pkgconfig'


# How each package is installed, and where its files are.
PACKAGES = {
    'deb': (deb, {}),
    'tar.gz': (archive, {'PATH': f'/opt/dagaz/usr/bin:{ENVIRONMENT["PATH"]}',
                         'PYTHONPATH': '/opt/dagaz/usr/lib/python3/dist-packages',
                         'PKG_CONFIG_PATH': '/opt/dagaz/usr/lib/pkgconfig'}),
    'whl': (wheel, {'PATH': f'/opt/dagaz/bin:{ENVIRONMENT["PATH"]}'}),
}


def make_packages(source, build, folder):
    """The newest file of each kind."""
    shutil.rmtree(folder, ignore_errors=True)
    run(source / 'python' / 'build_wheel.sh', folder, build)  # which also builds
    for generator in ('DEB', 'TGZ'):
        run('cpack', '-G', generator, '-B', folder, cwd=build)
    return {kind: next(folder.glob(f'dagaz*.{kind}')) for kind in PACKAGES}


def keyring_of_ubuntu(folder):
    keyring = folder / 'usr/share/keyrings/ubuntu-archive-keyring.gpg'
    if not keyring.exists():
        address, wanted = UBUNTU_KEYS
        with urllib.request.urlopen(address, timeout=60) as answer:
            package = answer.read()
        if hashlib.sha256(package).hexdigest() != wanted:
            sys.exit(f'{address} is not the file that this test knows')
        (folder / 'keys.deb').write_bytes(package)
        run('dpkg-deb', '-x', folder / 'keys.deb', folder)
    return keyring


def make_base(suite, folder):
    base = folder / suite
    if (base / 'complete').exists():
        return base
    shutil.rmtree(base, ignore_errors=True)
    if MIRRORS[suite] == UBUNTU:
        # An old debootstrap does not know the newest name; `gutsy` is the script of all of them.
        run('debootstrap', '--variant=minbase', '--components=main,universe',
            f'--keyring={keyring_of_ubuntu(folder / "keys")}', suite, base, UBUNTU, 'gutsy')
        (base / 'etc/apt/sources.list').write_text(''.join(
            f'deb {UBUNTU} {part} main universe\n' for part in (suite, f'{suite}-updates')))
    else:
        run('debootstrap', '--variant=minbase', suite, base, MIRRORS[suite])
    (base / 'complete').touch()
    return base


def use(root, source):
    """Everything that the documents promise, by the installed compiler."""
    there = root.folder / 'dagaz'
    for name in SHOWN:
        (there / name).parent.mkdir(parents=True, exist_ok=True)
        if (source / name).is_dir():
            shutil.copytree(source / name, there / name)
        else:
            shutil.copy(source / name, there / name)
    assert root.run('ls /usr/lib/llvm*/lib/cmake 2>/dev/null || echo none').strip() == 'none'
    root.run('cd /dagaz && DAGAZ=dagaz ./demo.sh')
    root.run('cd /dagaz && dagaz test --target=cpu examples')
    root.run('cd /dagaz && printf "1.0\n" > x && printf "entry f (x: f64) = x + 1\n" > f.fut && '
             'dagaz run f.fut --target=sim -e f < x && dagaz build f.fut --target=cuda --emit=ptx')
    return root.run('cd /dagaz && PYTHONDONTWRITEBYTECODE=1 python3 tests/documents/run.py '
                    '"$(command -v dagaz)" . docs/tutorial.md').strip()


class Stopwatch:
    """What has passed since it was made, also on processors: those of a busy machine have less time."""

    def __init__(self):
        self.begin, self.used = time.monotonic(), self.processor_seconds()

    @staticmethod
    def processor_seconds():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    def __str__(self):
        return (f'{time.monotonic() - self.begin:.0f} s '
                f'({self.processor_seconds() - self.used:.0f} s of processors)')


def build_sources(root, source, whole):
    """What who clones the project does."""
    clone = root.folder / 'dagaz'
    run('git', 'clone', '-q', f'file://{source}', clone)
    install = Stopwatch()
    root.run('cd /dagaz && ./install-dependencies.sh')
    said = f'packages installed in {install}'
    if whole:
        demo = Stopwatch()
        root.run('cd /dagaz && CCACHE_DISABLE=1 ./demo.sh')
        return f'{said}, demo.sh in {demo}'
    root.run('cd /dagaz && cmake --preset release && cmake --build build --target dagaz_support')
    return f'{said}, configured'


def check(suite, kind, folder, source, package):
    begin = time.time()
    base = make_base(suite, folder)
    archives = folder / f'{suite}-archives'
    (archives / 'partial').mkdir(parents=True, exist_ok=True)
    install, environment = PACKAGES.get(kind, (None, {}))
    root = Root(folder / f'{suite}-{kind}', archives, environment)
    shutil.rmtree(root.folder, ignore_errors=True)
    run('cp', '-a', base, root.folder)
    shutil.copy('/etc/resolv.conf', root.folder / 'etc' / 'resolv.conf')
    name = kind
    if package is None:
        said = build_sources(root, source, kind == 'demo')
    else:
        name = f'{package.name} ({package.stat().st_size / 2**20:.1f} MiB)'
        shutil.copy(package, root.folder / 'tmp')
        install(root, f'/tmp/{package.name}')
        said = use(root, source)
    shutil.rmtree(root.folder)
    print(f'{suite}: {name}: {said}, {time.time() - begin:.0f} s', flush=True)


def main():
    parser = argparse.ArgumentParser(usage='see the first lines of this file')
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('folder', type=pathlib.Path)
    parser.add_argument('--suites', nargs='+', choices=MIRRORS, default=['bookworm'])
    parser.add_argument('--kinds', nargs='+', choices=[*PACKAGES, 'sources', 'demo'],
                        default=list(PACKAGES))
    options = parser.parse_args()
    folder = options.folder.resolve()
    source = pathlib.Path(__file__).resolve().parents[2]
    if os.geteuid() != 0:
        skip("needs root's rights")
    if shutil.which('debootstrap') is None:
        skip('apt install debootstrap')
    for suite in options.suites:
        try:
            urllib.request.urlopen(f'{MIRRORS[suite]}/dists/{suite}/Release', timeout=20).close()
        except OSError as error:
            skip(f'{MIRRORS[suite]}: {error}')
    (folder / 'keys').mkdir(parents=True, exist_ok=True)
    packages = {}
    if any(kind in PACKAGES for kind in options.kinds):
        packages = make_packages(source, options.build.resolve(), folder / 'packages')
    for suite in options.suites:
        for kind in options.kinds:
            check(suite, kind, folder, source, packages.get(kind))


if __name__ == '__main__':
    main()
