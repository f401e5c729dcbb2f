#!/usr/bin/env python3
"""`dagaz pkg` with repositories of git's that this test makes; nothing leaves the machine.

usage: run.py DAGAZ
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


class World:
    """Repositories under the address https://host/…, which git finds in a folder."""

    def __init__(self, dagaz, root):
        self.dagaz, self.root = dagaz, root
        config = root / 'gitconfig'
        config.write_text(f'[url "file://{root}/repositories/"]\n  insteadOf = https://\n'
                          '[user]\n  name = Test\n  email = test@example.com\n'
                          '[init]\n  defaultBranch = main\n[protocol "file"]\n  allow = always\n')
        self.environment = dict(os.environ, GIT_CONFIG_GLOBAL=str(config), GIT_CONFIG_NOSYSTEM='1',
                                GIT_AUTHOR_DATE='2026-01-02T03:04:05Z',
                                GIT_COMMITTER_DATE='2026-01-02T03:04:05Z', TZ='UTC')
        self.hashes = {}

    def git(self, folder, *arguments):
        return subprocess.run(['git', '-C', folder, *arguments], env=self.environment, check=True,
                              capture_output=True, text=True).stdout.strip()

    def release(self, path, version, files, requires=(), tag=True):
        """A commit of the package with these files in its folder, and a tag."""
        address = re.sub(r'@\d+$', '', path)
        folder = self.root / 'repositories' / address
        if not folder.exists():
            folder.mkdir(parents=True)
            self.git(folder, 'init', '-q')
        shutil.rmtree(folder / 'lib', ignore_errors=True)
        inside = folder / 'lib' / address
        inside.mkdir(parents=True)
        for name, text in files.items():
            (inside / name).parent.mkdir(parents=True, exist_ok=True)
            (inside / name).write_text(text)
        lines = ''.join(f'  {one}\n' for one in requires)
        (folder / 'futhark.pkg').write_text(f'package {address}\n\nrequire {{\n{lines}}}\n')
        self.git(folder, 'add', '-A')
        self.git(folder, 'commit', '-q', '-m', version)
        if tag:
            self.git(folder, 'tag', '-a', 'v' + version, '-m', version)
        self.hashes[path, version] = self.git(folder, 'rev-parse', 'HEAD')

    def pkg(self, folder, *arguments, status=0):
        done = subprocess.run([self.dagaz, 'pkg', *arguments], cwd=folder, env=self.environment,
                              capture_output=True, text=True, timeout=120)
        assert done.returncode == status, (arguments, done)
        return done.stdout + done.stderr


def fill(world):
    world.release('host/a', '0.1.0', {'a.fut': 'def a = 1i32\n'})
    world.release('host/a', '0.2.0', {'a.fut': 'def a = 2i32\n', 'in/b.fut': 'def b = 1i32\n'})
    world.release('host/a', '0.10.0', {'a.fut': 'def a = 10i32\n'})
    world.release('host/a@2', '2.0.0', {'a.fut': 'def a = 200i32\n'})
    world.release('host/b', '1.0.0', {'b.fut': 'import "../a/a"\ndef b = a + 1\n'},
                  ['host/a 0.2.0 #' + world.hashes['host/a', '0.2.0']])
    world.release('host/c', '1.0.0', {'c.fut': 'def c = 1i32\n'}, ['host/b 1.0.0', 'host/d 1.0.0'])
    world.release('host/d', '1.0.0', {'d.fut': 'def d = 1i32\n'}, ['host/c 1.0.0'])
    world.release('host/wild', 'x', {'w.fut': 'def w = 7i32\n'}, tag=False)
    world.release('host/broken', '1.0.0', {'x.fut': ''}, ['host/missing 1.0.0'])


def check_requirements(world, work):
    assert 'Created directory lib/me/mine' in world.pkg(work, 'init', 'me/mine')
    (work / 'lib/me/mine/mine.fut').write_text('def mine = 1i32\n')
    assert 'already exists' in world.pkg(work, 'init', 'me/mine', status=1)
    assert world.pkg(work, 'versions', 'host/a') == '0.1.0\n0.2.0\n0.10.0\n'
    assert world.pkg(work, 'versions', 'host/a@2') == '2.0.0\n'
    out = world.pkg(work, 'add', 'host/a', '0.1.0')
    assert 'Added new required package host/a 0.1.0.' in out, out
    manifest = (work / 'futhark.pkg').read_text()
    assert manifest == ('package me/mine\n\nrequire {\n  host/a 0.1.0 #'
                        + world.hashes['host/a', '0.1.0'] + '\n}\n'), manifest
    world.pkg(work, 'sync')
    assert (work / 'lib/host/a/a.fut').read_text() == 'def a = 1i32\n'
    assert (work / 'lib/me/mine/mine.fut').exists()
    # b needs a newer a, and nothing newer than that.
    world.pkg(work, 'add', 'host/b')
    assert world.pkg(work, 'check') == \
        'Dependencies chosen:\nhost/a => 0.2.0\nhost/b => 1.0.0\n'
    (work / 'lib/stray.fut').write_text('')
    world.pkg(work, 'sync')
    assert (work / 'lib/host/a/in/b.fut').exists() and not (work / 'lib/stray.fut').exists()
    assert not list(work.glob('lib~*'))
    (work / 'main.fut').write_text('import "lib/host/b/b"\nentry main (x: i32) = x + b\n')
    out = subprocess.run([world.dagaz, 'run', 'main.fut'], cwd=work, input='1', text=True,
                         capture_output=True)
    assert out.stdout == '4i32\n', out


def check_upgrades(world, work):
    out = world.pkg(work, 'upgrade')
    assert 'Upgraded host/a 0.1.0 => 0.10.0.' in out and 'host/b' not in out, out
    assert 'Nothing to upgrade.' in world.pkg(work, 'upgrade')
    world.pkg(work, 'sync')
    assert (work / 'lib/host/a/a.fut').read_text() == 'def a = 10i32\n'
    assert 'Removed host/a 0.10.0.' in world.pkg(work, 'remove', 'host/a')
    assert 'No package host/a' in world.pkg(work, 'remove', 'host/a', status=1)
    assert 'host/a => 0.2.0' in world.pkg(work, 'check')
    world.pkg(work, 'remove', 'host/b')
    world.pkg(work, 'add', 'host/a@2', '2.0.0')
    world.pkg(work, 'sync')
    assert (work / 'lib/host/a@2/a.fut').read_text() == 'def a = 200i32\n'
    assert not (work / 'lib/host/b').exists()
    # Packages that need each other.
    world.pkg(work, 'add', 'host/c')
    assert 'host/d => 1.0.0' in world.pkg(work, 'check')


def check_commits(world, work):
    commit = world.hashes['host/wild', 'x']
    out = world.pkg(work, 'add', 'host/wild')
    version = f'0.0.0-20260102030405+{commit}'
    assert version in out, out
    assert f'  host/wild {version}\n' in (work / 'futhark.pkg').read_text()
    world.pkg(work, 'sync')
    assert (work / 'lib/host/wild/w.fut').exists()


def check_mistakes(world, work):
    before = (work / 'futhark.pkg').read_text()
    out = world.pkg(work, 'add', 'host/a', '0.3.0', status=1)
    assert 'does not have a version 0.3.0' in out and 'Known versions: 0.1.0, 0.2.0, 0.10.0' in out
    assert 'use the package path host/a@2' in world.pkg(work, 'add', 'host/a', '2.0.0', status=1)
    assert 'missing' in world.pkg(work, 'add', 'host/broken', status=1)
    assert 'failed' in world.pkg(work, 'add', 'host/nowhere', status=1)
    for path in ('../a', '-x', 'host//a', 'host/a b', '/a', 'a/../../b'):
        world.pkg(work, 'add', '--', path, status=2)
    world.pkg(work, 'add', 'host/a', '1.0', status=2)
    world.pkg(work, 'nothing', status=2)
    assert (work / 'futhark.pkg').read_text() == before
    # A tag that was moved.
    (work / 'futhark.pkg').write_text('require {\n  host/a 0.1.0 #' + 40 * '0' + '\n}\n')
    assert 'but expected ' + 40 * '0' in world.pkg(work, 'sync', status=1)
    for text, message in [('require {\n  host/a\n}\n', 'line 2: expected a version'),
                          ('require {\n  host/a 1.0.0\n  host/a 1.0.0\n}\n', 'required twice'),
                          ('require {\n  ../a 1.0.0\n}\n', 'expected the path of a package'),
                          ('require {\n', 'expected the path'), ('nonsense\n', 'line 1: ')]:
        (work / 'futhark.pkg').write_text(text)
        out = world.pkg(work, 'check', status=1)
        assert message in out and 'futhark.pkg: line ' in out, (text, out)


def check_layout(world, work):
    (work / 'futhark.pkg').write_text('-- first\n\npackage  x/y\n-- second\nrequire{\n'
                                      '-- inside\n   host/a    0.1.0   \n}\n--last\n')
    world.pkg(work, 'fmt')
    assert (work / 'futhark.pkg').read_text() == \
        '-- first\npackage x/y\n\n-- second\nrequire {\n  -- inside\n  host/a 0.1.0\n}\n--last\n'


def main(dagaz):
    if shutil.which('git') is None:
        print('[SKIP] pkg: no git')
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        world = World(str(pathlib.Path(dagaz).resolve()), root)
        fill(world)
        work = root / 'work'
        work.mkdir()
        check_requirements(world, work)
        check_upgrades(world, work)
        check_commits(world, work)
        check_mistakes(world, work)
        check_layout(world, work)
    print('packages are found, chosen and installed')


if __name__ == '__main__':
    main(*sys.argv[1:])
