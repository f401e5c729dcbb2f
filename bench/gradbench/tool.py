#!/usr/bin/env python3
"""A tool for GradBench: serves its evals from the Dagaz programs in this folder.

usage: tool.py [--dagaz COMMAND] [--threads N]

Speaks GradBench's protocol, a JSON object a line, on standard input and output.  An eval's program
is NAME.fut; a function of the eval is the entry point of that name, and its parameters are the
fields of the input, unless ADAPTERS says how to get one from the other.  Times are those of the
entry point alone.
"""
import argparse
import json
import sys
import tempfile
import traceback
from pathlib import Path

import library

HERE = Path(__file__).resolve().parent


class Adapter:
    """How an eval's inputs and outputs correspond to a program's."""

    @staticmethod
    def entry(function, _input):
        return function

    @staticmethod
    def input(data):
        return data

    @staticmethod
    def output(_function, results):
        return results[0]


class Hello(Adapter):
    @staticmethod
    def input(data):
        return {'x': data}


class Gmm(Adapter):
    @staticmethod
    def output(function, results):
        return results[0] if function == 'objective' else dict(zip(['alpha', 'mu', 'q', 'l'], results))


class Det(Adapter):
    @staticmethod
    def input(data):
        return {'a': data['A'], 'l': data['ell']}


class Ba(Adapter):
    """The input holds one camera, point, weight and feature, to be repeated."""

    @staticmethod
    def input(data):
        n, m, p = data['n'], data['m'], data['p']
        return {'cameras': [data['cam']] * n, 'points': [data['x']] * m, 'weights': [data['w']] * p,
                'observations': [[i % n, i % m] for i in range(p)], 'features': [data['feat']] * p}

    @staticmethod
    def output(function, results):
        if function == 'jacobian':
            return {name: values[:30] + values[-1:]
                    for name, values in zip(['rows', 'cols', 'vals'], results)}
        errors, weight_errors = results
        return {'reproj_error': {'elements': errors[0], 'repeated': len(errors)},
                'w_err': {'element': weight_errors[0], 'repeated': len(weight_errors)}}


class Ht(Adapter):
    """Without barycentric coordinates, the data correspond to vertices instead of triangles."""

    @staticmethod
    def entry(function, data):
        return f'{function}_{"complicated" if data["us"] else "simple"}'

    @staticmethod
    def input(data):
        return {**data['data']['model'], **data['data'], **data}

    @staticmethod
    def output(_function, results):
        return results[0]


ADAPTERS = {'hello': Hello, 'gmm': Gmm, 'det': Det, 'ba': Ba, 'ht': Ht}


class Tool:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.libraries = {}

    def define(self, module):
        source = HERE / f'{module}.fut'
        if not source.exists():
            return {'success': False, 'error': f'there is no {source.name}'}
        shared = library.build(self.options.dagaz, source, self.folder)
        self.libraries[module] = library.Library(shared, self.options.threads)
        return {'success': True}

    def evaluate(self, module, function, data):
        adapter = ADAPTERS.get(module, Adapter)
        program = self.libraries[module]
        entry = adapter.entry(function, data)
        arguments = program.arguments(entry, adapter.input(data))
        runs = data if isinstance(data, dict) else {}
        results, times = program.run(entry, arguments, runs.get('min_runs', 1),
                                     runs.get('min_seconds', 0))
        program.free_arguments(entry, arguments)
        return {'success': True, 'output': adapter.output(function, results),
                'timings': [{'name': 'evaluate', 'nanoseconds': t} for t in times]}

    def answer(self, message):
        kind = message['kind']
        try:
            if kind == 'start':
                return {'tool': 'dagaz', 'config': vars(self.options)}
            if kind == 'define':
                return self.define(message['module'])
            if kind == 'evaluate':
                return self.evaluate(message['module'], message['function'], message['input'])
        except library.Failure as failure:
            return {'success': False, 'error': str(failure)}
        except Exception:  # The eval is to be told, whatever it is.
            return {'success': False, 'error': traceback.format_exc()}
        return {}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--dagaz', default='dagaz')
    parser.add_argument('--threads', type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tool = Tool(options, folder)
        for line in sys.stdin:
            message = json.loads(line)
            print(json.dumps({'id': message['id'], **tool.answer(message)}), flush=True)


if __name__ == '__main__':
    main()
