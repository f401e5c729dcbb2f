"""A compiled program that is asked and answers."""
import contextlib
import os
import subprocess
import tempfile
import threading
from pathlib import Path

import values

HERE = Path(__file__).resolve().parent


class Failed(Exception):
    """What the program says has gone wrong."""


def environment():
    """With the libraries of the bundle behind those of the machine."""
    folders = [os.environ.get('LD_LIBRARY_PATH', ''), str(HERE / 'lib')]
    return {**os.environ, 'LD_LIBRARY_PATH': ':'.join(filter(None, folders))}


@contextlib.contextmanager
def row_of(name, save):
    """A row of a report, saved in the end: good, unless the body says otherwise or fails."""
    row = {'name': name, 'good': True}
    try:
        yield row
    except Failed as failure:
        row |= {'good': False, 'problem': str(failure)}
    save(row)


class Server:
    """`program`: a name, or the path of another's; `limit`: seconds that all of it may take."""

    def __init__(self, program, limit, wrapped_by=()):
        self.folder = tempfile.TemporaryDirectory()
        self.errors = open(Path(self.folder.name) / 'errors', 'w+', encoding='utf-8')
        try:
            self.process = subprocess.Popen([*wrapped_by, HERE / 'programs' / program],
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=self.errors, text=True, env=environment())
        except OSError as problem:
            raise Failed(str(problem)) from problem
        self.timer = threading.Timer(limit, self.process.kill)
        self.timer.start()
        self.count = 0
        try:
            self.answer()
        except Failed:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.timer.cancel()
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.errors.close()
        self.folder.cleanup()

    def answer(self):
        lines = []
        for line in self.process.stdout:
            line = line.rstrip('\n')
            if line == '%%% OK':
                if '%%% FAILURE' in lines:
                    raise Failed(' '.join(lines[lines.index('%%% FAILURE') + 1:]).strip())
                return lines
            lines.append(line)
        self.process.wait()
        self.errors.seek(0)
        raise Failed(f'the program ended with status {self.process.returncode}: '
                     + self.errors.read().strip()[-500:])

    def say(self, *words):
        try:
            self.process.stdin.write(' '.join(words) + '\n')
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        return self.answer()

    def name(self):
        self.count += 1
        return f'v{self.count}'

    def put(self, kind, numbers, shape=None):
        """A value in the program; its name."""
        path = Path(self.folder.name) / 'value'
        path.write_bytes(values.binary(kind, numbers, shape))
        name = self.name()
        rank = 0 if isinstance(numbers, (int, float)) else len(shape or [0])
        self.say('restore', str(path), name, '[]' * rank + kind)
        return name

    def get(self, name):
        path = Path(self.folder.name) / 'value'
        self.say('store', str(path), name)
        return values.all_in(path.read_bytes())[0]

    def call(self, entry, *arguments):
        """The result's name, and the microseconds that the call took."""
        name = self.name()
        lines = self.say('call', entry, name, *arguments)
        took = [line for line in lines if line.startswith('runtime: ')]
        return name, int(took[0].split()[1])

    def free(self, *names):
        self.say('free', *names)
