#!/usr/bin/env python3
"""What an installation offers to others: a CMake package, pkg-config, manual pages and completion.

usage: consumer.py BUILD_FOLDER [--package]

With --package the installation is unpacked from the archive that CPack makes.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROJECT = '''cmake_minimum_required(VERSION 3.25)
project(consumer C CXX)
find_package(Dagaz 0.1 REQUIRED)
dagaz_add_library(models FILES model.fut PREFIX model DERIVATIVES loss CPP)
dagaz_add_library(plain FILES plain.fut)
add_executable(app main.c)
target_link_libraries(app PRIVATE models plain)
add_executable(plus main.cpp)
target_compile_features(plus PRIVATE cxx_std_17)
target_link_libraries(plus PRIVATE models)
'''
MODEL = 'import "parts/square"\nentry loss (x: f64): f64 = 0.5 * square x\n'
SQUARE = 'def square (x: f64) = x * x\n'
PLAIN = 'entry twice (x: i32): i32 = 2 * x\n'
MAIN = '''#include <stdio.h>
#include "model.h"
#include "plain.h"
int main(void) {
  struct model_context_config *config = model_context_config_new();
  struct model_context *context = model_context_new(config);
  double gradient = 0;
  if (model_entry_loss_vjp(context, &gradient, 3.0, 1.0) != 0) return 1;
  model_context_free(context);
  model_context_config_free(config);
  struct plain_context_config *plain_config = plain_context_config_new();
  struct plain_context *plain = plain_context_new(plain_config);
  int result = 0;
  if (plain_entry_twice(plain, &result, 21) != 0) return 1;
  plain_context_free(plain);
  plain_context_config_free(plain_config);
  printf("%g %d\\n", gradient, result);
  return 0;
}
'''
MAIN_CPP = '''#include <cstdio>
#include "model.hpp"
int main() {
  model::context context;
  std::printf("%g\\n", model::loss(context, 4.0));
  return 0;
}
'''


def run(*command, cwd, environment, text=True, **options):
    done = subprocess.run([str(word) for word in command], cwd=cwd, env=environment,
                          capture_output=True, text=text, timeout=600, **options)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


def install(build, work, environment, from_package):
    if not from_package:
        run('cmake', '--install', build, '--prefix', work / 'usr', cwd=work,
            environment=environment)
        return work / 'usr'
    run('cpack', '-G', 'TGZ', '-B', work / 'packages', cwd=build, environment=environment)
    archive = next((work / 'packages').glob('dagaz-*.tar.gz'))
    (work / 'root').mkdir()
    run('tar', '-xzf', archive, '-C', work / 'root', cwd=work, environment=environment)
    return next((work / 'root').glob('**/bin/dagaz')).parent.parent


def check_cmake(usr, work, environment):
    project = work / 'a project'
    (project / 'parts').mkdir(parents=True)
    for name, text in [('CMakeLists.txt', PROJECT), ('model.fut', MODEL), ('main.c', MAIN),
                       ('parts/square.fut', SQUARE), ('plain.fut', PLAIN),
                       ('main.cpp', MAIN_CPP)]:
        (project / name).write_text(text)
    for generator in ['Ninja', 'Unix Makefiles']:
        if shutil.which('ninja' if generator == 'Ninja' else 'make') is None:
            continue
        build = work / generator
        (project / 'parts/square.fut').write_text(SQUARE)
        run('cmake', '-G', generator, '-S', project, '-B', build, f'-DCMAKE_PREFIX_PATH={usr}',
            cwd=work, environment=environment)
        run('cmake', '--build', build, cwd=work, environment=environment)
        assert run(build / 'app', cwd=work, environment=environment) == '3 42\n'
        assert run(build / 'plus', cwd=work, environment=environment) == '8\n'
        # A file that is imported is followed.
        (project / 'parts/square.fut').write_text('def square (x: f64) = x * x * x * x\n')
        run('cmake', '--build', build, cwd=work, environment=environment)
        assert run(build / 'plus', cwd=work, environment=environment) == '128\n'
        again = run('cmake', '--build', build, '--', *(['-n'] if generator == 'Ninja' else []),
                    cwd=work, environment=environment)
        assert 'Compiling' not in again, again


def check_pkg_config(usr, work, environment):
    if shutil.which('pkg-config') is None:
        return
    environment = dict(environment, PKG_CONFIG_PATH=str(usr / 'lib/pkgconfig'))
    flags = run('pkg-config', '--cflags', '--libs', 'dagaz', cwd=work, environment=environment)
    assert '-lhwy_contrib' in flags and 'include/dagaz' in flags, flags


def check_manual(usr, work, environment):
    dagaz = usr / 'bin/dagaz'
    help_text = run(dagaz, 'build', '--help', cwd=work, environment=environment)
    page = (usr / 'share/man/man1/dagaz-build.1').read_text()
    assert '--derivatives' in help_text and '\\-\\-derivatives' in page
    assert (usr / 'share/man/man1/dagaz.1').exists()
    for path in (usr / 'share/man/man1').glob('*.1'):
        if shutil.which('groff'):
            done = subprocess.run(['groff', '-K', 'utf8', '-ww', '-man', '-Tutf8', path], capture_output=True)
            assert done.returncode == 0 and not done.stderr, (path, done.stderr)
        assert path.read_text().startswith('.TH '), path


def complete(usr, work, environment, *words):
    script = (f'source {usr}/share/bash-completion/completions/dagaz; COMP_WORDS=({" ".join(words)}); '
              f'COMP_CWORD={len(words) - 1}; _dagaz; printf "%s\\n" "${{COMPREPLY[@]}}"')
    return run('bash', '-c', script, cwd=work, environment=environment).split()


def check_completion(usr, work, environment):
    assert complete(usr, work, environment, 'dagaz', 'lit') == ['literate']
    assert 'cuda' in complete(usr, work, environment, 'dagaz', 'run', '--target', "''")
    assert complete(usr, work, environment, 'dagaz', 'run', '--target', '=', 'cu') == ['cuda']
    assert complete(usr, work, environment, 'dagaz', 'build', '--deriv') == ['--derivatives']
    assert complete(usr, work, environment, 'dagaz', 'pkg', 'upg') == ['upgrade']
    for shell, path in [('zsh', 'zsh/site-functions/_dagaz'),
                        ('fish', 'fish/vendor_completions.d/dagaz.fish')]:
        assert (usr / 'share' / path).stat().st_size > 1000
        if shutil.which(shell):
            run(shell, '-n', usr / 'share' / path, cwd=work, environment=environment)


def main(build, *options):
    environment = {k: v for k, v in os.environ.items() if not k.startswith('DAGAZ_')}
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        usr = install(pathlib.Path(build).resolve(), work, environment, '--package' in options)
        check_manual(usr, work, environment)
        check_completion(usr, work, environment)
        check_pkg_config(usr, work, environment)
        check_cmake(usr, work, environment)
    print('an installation serves CMake, pkg-config, man and shells')


if __name__ == '__main__':
    main(*sys.argv[1:])
