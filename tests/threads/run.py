#!/usr/bin/env python3
"""Races between the threads of compiled programs, by ThreadSanitizer.

usage: run.py DAGAZ BUILD_FOLDER PROGRAM.fut...      (a build of `cmake --preset threads`)

The code that Dagaz emits for a program is compiled with ThreadSanitizer and linked with the runtime
of that build; its vectors have 16 bytes, the longest accesses that the sanitizer looks at, and next
to nothing is worth a task, so that small inputs run on threads, too.  Every test block whose input
stands on one line runs on two to five threads.  What it computes is not looked at.

Points do not run in blocks of lanes: the last block of a row is moved back, so that two tasks may
write some results, both the same.  Squares of transpositions do so as well, and are reported; so are tasks
that share a scan, since the sanitizer does not understand the fences by which these tell each other.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

RACE = 66  # ThreadSanitizer's exit status
THREADS = (2, 3, 4, 5)
TUNED = ('task_operations=256', 'host_product=1', 'lanes=0')


def cases(text):
    """(entry point, input) of the test blocks."""
    entries = ['main']
    for line in text.splitlines():
        if not line.startswith('--'):
            entries = ['main']
        if named := re.match(r'-- entry:(.*)$', line):
            entries = named[1].split()
        if given := re.match(r'-- (?:"[^"]*" )?(?:compiled )?input \{(.*?)\}', line):
            yield from ((entry, given[1]) for entry in entries)


def compile_program(dagaz, build, program, folder):
    """The program under ThreadSanitizer."""
    code, executable = folder / 'program.ll', folder / 'program'
    tuned = [word for one in TUNED for word in ('--tune', one)]
    subprocess.run([dagaz, 'build', '-w', '-O1', '--cpu=generic', '--emit=llvm', *tuned, program,
                    '-o', code], check=True)
    text = code.read_text()
    # Functions are looked at that ask for it.
    text = re.sub(r'^(define [^\n]*?)((?: align \d+)? \{)$', r'\1 sanitize_thread\2', text,
                  flags=re.MULTILINE)
    # As the code of an executable has it.
    code.write_text(text + '@dz_main_program = constant ptr @dz_program_program\n')
    libraries = [build / 'runtime' / f'libdagaz_{name}.a' for name in ('program_main', 'runtime')]
    subprocess.run(['clang++-19', '-O1', '-fsanitize=thread', '-Wno-override-module',
                    '-Wno-pass-failed', code, *libraries, '-lhwy_contrib', '-lhwy', '-ldl', '-lpthread', '-o', executable],
                   check=True)
    return executable


def main():
    dagaz, build, *programs = sys.argv[1:]
    build = pathlib.Path(build)
    passed = failed = 0
    for program in map(pathlib.Path, programs):
        with tempfile.TemporaryDirectory() as folder:
            executable = compile_program(dagaz, build, program, pathlib.Path(folder))
            for entry, given in cases(program.read_text()):
                for threads in THREADS:
                    command = [executable, '-e', entry, '-n', '--num-threads', str(threads)]
                    done = subprocess.run(command, input=given, text=True, capture_output=True,
                                          timeout=600)
                    if done.returncode in (0, 1):  # 1: the program's own errors
                        passed += 1
                        continue
                    failed += 1
                    what = 'race' if done.returncode == RACE else f'exit {done.returncode}'
                    print(f'[FAIL] {program}: {entry} {given} on {threads} threads: {what}')
                    print(done.stderr[:4000])
    print(f'threads: {passed} passed, {failed} failed')
    return failed != 0 or passed == 0


if __name__ == '__main__':
    sys.exit(main())
