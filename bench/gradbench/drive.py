#!/usr/bin/env python3
"""Runs one of GradBench's evals on tools, one after the other, and prints their times.

usage: drive.py --eval COMMAND --tool NAME=COMMAND [--tool NAME=COMMAND ...] [--folder DIR] [--log FILE]

Does what the harness's own command `gradbench run` does: messages from the eval go to the tool, and
answers back.  For each message that evaluates, prints the function, the description, the mean and
the least time in milliseconds and whether the eval found the answer valid.  `--log` keeps the
answers' times as JSON lines.  `--folder` is the harness's checkout, where evals expect to run.
"""
import argparse
import json
import shlex
import subprocess
import sys
import time


def start(command, folder):
    return subprocess.Popen(shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            text=True, cwd=folder)


def ask(tool, line):
    tool.stdin.write(line)
    tool.stdin.flush()
    answer = tool.stdout.readline()
    if answer == '':
        raise SystemExit('the tool ended before its eval')
    return answer


def session(name, eval_command, tool_command, folder):
    """Yields one record for each evaluation, complete once the eval has judged it."""
    evaluator, tool = start(eval_command, folder), start(tool_command, folder)
    waiting = None
    for line in evaluator.stdout:
        message = json.loads(line)
        answer = ask(tool, line)
        evaluator.stdin.write(answer)
        evaluator.stdin.flush()
        kind = message['kind']
        if kind not in ('define', 'evaluate', 'analysis'):
            continue
        response = json.loads(answer)
        if kind == 'analysis':
            yield {**waiting, 'valid': message['valid'], 'error': message.get('error')}
            continue
        if not response['success']:
            yield {'tool': name, 'function': message.get('function', 'define'), 'times': [],
                   'description': message.get('description', ''), 'valid': False,
                   'error': response.get('error', 'no reason given')}
        elif kind == 'evaluate':
            waiting = {'tool': name, 'eval': message['module'], 'function': message['function'],
                       'description': message.get('description', ''),
                       'times': [t['nanoseconds'] for t in response.get('timings', [])
                                 if t['name'] == 'evaluate']}
    tool.stdin.close()
    tool.wait()
    evaluator.wait()


def show(record):
    times = [t / 1e6 for t in record['times']]
    numbers = f'{sum(times) / len(times):12.4f} {min(times):12.4f} {len(times):6d}' if times else ''
    print(f'{record["tool"]:10s} {record["function"]:10s} {record["description"]:30s} {numbers} '
          f'{"valid" if record["valid"] else "INVALID"}', flush=True)
    if record['error']:
        print(record['error'].rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--eval', required=True)
    parser.add_argument('--tool', action='append', required=True, metavar='NAME=COMMAND')
    parser.add_argument('--folder', default='.')
    parser.add_argument('--log')
    options = parser.parse_args()
    valid = True
    for tool in options.tool:
        name, command = tool.split('=', 1)
        for record in session(name, options.eval, command, options.folder):
            show(record)
            valid = valid and record['valid']
            if options.log:
                with open(options.log, 'a', encoding='utf-8') as log:
                    log.write(json.dumps({**record, 'date': time.strftime('%Y-%m-%d')}) + '\n')
    sys.exit(0 if valid else 1)


if __name__ == '__main__':
    main()
