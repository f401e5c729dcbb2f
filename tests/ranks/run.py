#!/usr/bin/env python3
"""Programs that several ranks run together (docs/ranks.md), under each MPI that is installed.

usage: run.py DAGAZ FOLDER [-n RANKS…] [--part PART]
Runs the test blocks of FOLDER with 1, 2, 3, 4 and 7 ranks, everything shared that can be, and once more
those where something goes to the rows of others.  Then that all end, with one message, where one fails, is
killed, or does not fit to the others; and what comments `-- counts:` say of messages, with the first MPI alone,
for ranks count what they ask any MPI for.  With the first MPI all of that on simulated GPUs, too, with 1, 3 and
4 ranks; and with each MPI there, with 2, 3 and 4, programs whose messages are direct, from device to device.
Some programs run on one core, too: where ranks are more than cores, they wait in another way.
Exit status 77 where there is no MPI.
"""
import argparse
import os
import pathlib
import re
import shutil
import select
import signal
import subprocess
import sys
import tempfile
import time

# Sharing must be right also where it does not pay.
SHARE_ALL = ['--tune', 'rank_element=0', '--tune', 'rank_message=0']
# As for so many ranks that what each has for rows of others is less than these rows are.
DELIVER_ALL = [*SHARE_ALL, '--tune', 'rank_extent=1000', '--tune', 'rank_count=1000000']


# What is sent as it is: rows in windows, blocks that are turned, gathered rows, parts of large sums.
SENT_DIRECTLY = ['windows', 'turns', 'loops', 'large_sums', 'first']
# One of each kind of message.
OF_EACH_KIND = ['windows', 'turns', 'first']
# What can run beside each other: on CPUs, on simulated devices, these with direct messages, and
# ranks that are more than cores.
PARTS = ['cpu', 'sim', 'direct', 'crowded']


def implementations():
    """(name, compiler, launcher) of each MPI: Debian installs both side by side."""
    found = []
    for name, options in ('openmpi', ' --oversubscribe'), ('mpich', ''):
        if shutil.which(f'mpicc.{name}') and shutil.which(f'mpirun.{name}'):
            found.append((name, f'mpicc.{name}', f'mpirun.{name}{options}'))
    if not found and shutil.which('mpicc') and shutil.which('mpirun'):
        found.append(('mpi', 'mpicc', 'mpirun'))
    return found


def environment(compiler, launcher):
    """Everything on this machine and within it; the tests may run as root."""
    return dict(os.environ, MPICC=compiler, MPIRUN=launcher, OMPI_ALLOW_RUN_AS_ROOT='1',
                OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1', OMPI_MCA_btl='self,vader',
                OMPI_MCA_rmaps_base_oversubscribe='1', DAGAZ_CACHE='off')


class Runs:
    """Programs of one MPI for one target in a folder of their own."""

    def __init__(self, dagaz, target, compiler, launcher, folder, direct):
        self.dagaz, self.target, self.folder = dagaz, target, folder
        self.environment = dict(environment(compiler, launcher),
                                DAGAZ_DIRECT_MESSAGES='mpi' if direct else 'off')
        self.launcher = launcher.split()
        self.built = {}

    def build(self, source, *options):
        """Once for all tests."""
        what = source, options
        if what not in self.built:
            program = f'{self.folder}/{pathlib.Path(source).stem}{len(self.built)}'
            subprocess.run([self.dagaz, 'build', '--ranks=mpi', f'--target={self.target}', source,
                            '-o', program, *options], check=True, env=self.environment)
            self.built[what] = program
        return self.built[what]

    def command(self, ranks, program, *options):
        return [*self.launcher, '-n', str(ranks), program, *options]

    def run_two(self, first, second, data):
        """Two processes, each by a command line of its own; they end within a minute."""
        return subprocess.run([*self.launcher, '-n', '1', *first, ':', '-n', '1', *second], input=data,
                              capture_output=True, env=self.environment, timeout=60)

    def run(self, ranks, program, entry, data):
        return subprocess.run(self.command(ranks, program, '-e', entry), input=data,
                              capture_output=True, env=self.environment, timeout=120)


def test_blocks(runs, tests, ranks, options):
    """What is wrong, as text."""
    numbers = ','.join(str(one) for one in ranks)
    command = [runs.dagaz, 'test', '--notty', f'--ranks={numbers}', f'--target={runs.target}',
               *options, tests]
    done = subprocess.run(command, env=runs.environment, capture_output=True, text=True)
    return '' if done.returncode == 0 else done.stdout + done.stderr


def counts_in(source, target):
    """(entry, shapes, {kind: (calls, bytes[, messages])}, in parts) of each comment; those for the
    target count instead of others of the same entry point."""
    found = {}
    for line in pathlib.Path(source).read_text().splitlines():
        if match := re.match(r'-- counts( on \w+)?( of parts)?: (\w+): ([^:]*): (.*)', line):
            special, parts, entry, shapes, counts = match.groups()
            if special not in (None, f' on {target}'):
                continue
            rows = [row.split() for row in counts.split(',')]
            expected = {kind: tuple(map(int, numbers)) for kind, *numbers in rows}
            found[entry, shapes, parts] = entry, shapes.split(), expected, parts is not None
    return list(found.values())


def counted(text):
    rows = re.findall(r'^(\w+): (\d+) calls, (\d+) bytes(?:, (\d+) messages)?$', text, re.M)
    return {kind: tuple(int(each) for each in numbers if each)
            for kind, *numbers in rows if numbers[0] != '0'}


def test_counts(runs, source):
    """All calls in one start of four ranks."""
    comments = counts_in(source, runs.target)
    if not comments:
        return ''
    program = runs.build(source)
    lines = []
    for k, (entry, shapes, _, parts) in enumerate(comments):
        generate = [word for shape in shapes for word in ('-g', shape)]
        data = subprocess.run([runs.dagaz, 'data', '-b', *generate], check=True,
                              capture_output=True).stdout
        pathlib.Path(f'{program}{k}.in').write_bytes(data)
        options = ['--input', f'{program}{k}.in'] if parts else []
        lines.append('\t'.join([f'{program}{k}', '-e', entry, '-n', '--rank-counts', *options]))
    pathlib.Path(f'{program}.calls').write_text('\n'.join(lines) + '\n')
    done = subprocess.run(runs.command(4, program, '--calls', f'{program}.calls'),
                          capture_output=True, env=runs.environment, timeout=120)
    if done.returncode != 0:
        return f'{source}: {done.stderr.decode()}'
    wrong = ''
    for k, (entry, _, expected, _) in enumerate(comments):
        text = pathlib.Path(f'{program}{k}.err').read_text()
        if counted(text) != expected:
            wrong += f'{source}: {entry}: expected {expected}, found {text}\n'
    return wrong


def test_message_of_failure(runs, folder):
    """The message of the first of three ranks that fails, once, and nothing else of ours."""
    program = runs.build(f'{folder}/failures.fut')
    for data in b'[0i64, 1i64, 9i64]', b'[0i64, 9i64, 7i64]':
        done = runs.run(3, program, 'chosen', data)
        text = done.stderr.decode()
        if done.returncode != 1 or text.count('Index [') != 1 or done.stdout or \
                'Index [9] out of bounds' not in text:
            return f'a failure: status {done.returncode}\n{text}'
    return ''


def complaint(what, done, *expected):
    """Whether two ranks that do not fit ended, with these words, each once."""
    text = done.stderr.decode()
    if done.returncode != 0 and all(text.count(words) == 1 for words in expected):
        return ''
    return f'{what}: status {done.returncode}\n{text}'


def test_other_options(runs, folder):
    program = runs.build(f'{folder}/failures.fut')
    done = runs.run_two([program, '-e', 'chosen'], [program, '-e', 'main'], b'[0i64]')
    return complaint('other options', done,
                     'rank 1 has other options than rank 0: `-e main`, not `-e chosen`')


def test_other_program(runs, folder):
    done = runs.run_two([runs.build(f'{folder}/failures.fut'), '-e', 'chosen'],
                        [runs.build(f'{folder}/killed.fut'), '-e', 'chosen'], b'[0i64]')
    return complaint('another program', done, 'rank 1 runs another program than rank 0')


def test_other_things(runs, folder):
    """Ranks that were built to share different things meet, and say where each of them is."""
    program = runs.build(f'{folder}/first.fut')
    alone = runs.build(f'{folder}/first.fut', '--tune', 'rank_message=1000000000')
    options = ['-e', 'dot', '--check-ranks', '30']
    done = runs.run_two([program, *options], [alone, *options], b'[1.0, 2.0] [3.0, 4.0]')
    return complaint('other things', done, 'about to do different things',
                     'rank 0: collect of 8 bytes, ', 'first.fut:', 'rank 1: agree, the end of the call')


def test_other_devices(runs, folder):
    """Ranks whose devices differ would take different turns."""
    if runs.target != 'sim':
        return ''
    program = [runs.build(f'{folder}/failures.fut'), '-e', 'chosen']
    done = runs.run_two(program, ['env', 'DZ_SIM_DEVICE=h100', *program], b'[0i64, 1i64]')
    return complaint('other devices', done, 'the ranks of the program have different devices',
                     'rank 1: 132 multiprocessors')


def test_checked(runs, folder):
    """What is compared changes nothing."""
    program = runs.build(f'{folder}/windows.fut')
    command = runs.command(3, program, '-e', 'diffused_back')
    data = b'3i64 [[1.0, 2.0], [3.0, 4.0], [5.0, 9.0], [0.0, 1.0]]'
    plain, checked = (subprocess.run([*command, *options], input=data, capture_output=True,
                                     env=runs.environment, timeout=60)
                      for options in ([], ['--check-ranks', '30']))
    same = plain.returncode == checked.returncode == 0 and plain.stdout == checked.stdout
    return '' if same else f'with --check-ranks: {checked.stderr.decode()}'


def test_carrier(runs, folder):
    """The first rank logs what carries messages; where nobody says it, ranks find out."""
    program = runs.build(f'{folder}/windows.fut', *SHARE_ALL)
    results = []
    for wanted, said in ('mpi', 'directly, by MPI'), ('off', 'by way of the host'), ('', ''):
        done = subprocess.run([*runs.command(3, program), '-e', 'diffused', '-L'],
                              input=b'3i64 [[1.0, 2.0], [3.0, 4.0], [5.0, 9.0], [0.0, 1.0]]',
                              env=dict(runs.environment, DAGAZ_DIRECT_MESSAGES=wanted),
                              capture_output=True, timeout=60)
        results.append(done.stdout)
        text = done.stderr.decode()
        if done.returncode != 0 or text.count(f'messages between devices: {said}') != 1:
            return f'`{wanted}`: status {done.returncode}\n{text}'
    return '' if results[0] == results[1] == results[2] else f'other results: {results}'


def test_full_disk(runs, folder):
    """Results that cannot be written: the first rank says so, and nobody waits."""
    program = runs.build(f'{folder}/first.fut')
    pathlib.Path(f'{program}.in').write_text('[1.0, 2.0] [3.0, 4.0]')
    pathlib.Path(f'{program}.out').symlink_to('/dev/full')
    pathlib.Path(f'{program}.calls').write_text(f'{program}\t-e\tdot\n')
    subprocess.run(runs.command(3, program, '--calls', f'{program}.calls'), check=True,
                   capture_output=True, env=runs.environment, timeout=60)
    status = pathlib.Path(f'{program}.status').read_text().strip()
    text = pathlib.Path(f'{program}.err').read_text()
    if status == '1' and text.count('cannot print the results: No space left on device') == 1:
        return ''
    return f'a full disk: status {status}\n{text}'


def test_library(runs, folder):
    """An application whose ranks have parts of its data; alone, and with others."""
    library = f'{runs.folder}/field'
    subprocess.run([runs.dagaz, 'build', '--ranks=mpi', f'--target={runs.target}', '--emit=lib',
                    f'{folder}/library/field.fut', '-o', library, *SHARE_ALL], check=True,
                   env=runs.environment)
    simulated = ['-Wl,-u,dz_make_sim_device', '-lboost_context'] if runs.target == 'sim' else []
    program = f'{runs.folder}/application'
    subprocess.run([runs.environment['MPICC'], '-O1', '-Wall', '-Werror', f'-I{runs.folder}',
                    f'{folder}/library/application.c', f'{runs.folder}/libfield.a', '-o', program,
                    *simulated, '-lstdc++', '-lm', '-ldl', '-lpthread'], check=True)
    wrong = ''
    for ranks in 1, 2, 5:
        done = subprocess.run(runs.command(ranks, program), capture_output=True, text=True,
                              env=runs.environment, timeout=120)
        if done.returncode != 0 or done.stdout != 'ok\n':
            wrong += f'{ranks} ranks: status {done.returncode}\n{done.stdout}{done.stderr}'
    return wrong


def test_files(runs, folder):
    """Arguments that each rank reads its rows of, and results that it writes them of."""
    program = runs.build(f'{folder}/library/field.fut', *SHARE_ALL)
    data = subprocess.run([runs.dagaz, 'data', '-b', '-g', '2.5f64', '-g', '[3001][7]f64'],
                          check=True, capture_output=True).stdout
    given = f'{program}.data'
    pathlib.Path(given).write_bytes(data)
    wrong = ''
    for form in 'binary', 'npy', 'text':
        options = ['-e', 'scaled', '--output-format', form]
        alone = subprocess.run([program, *options], input=data, capture_output=True,
                               env=runs.environment, timeout=60)
        # What is there is replaced, longer or not.
        pathlib.Path(f'{program}.results').write_bytes(b'x' * 1000000)
        done = subprocess.run([*runs.command(3, program), *options, '--input', given, '--output',
                               f'{program}.results'], capture_output=True, env=runs.environment,
                              timeout=60)
        found = pathlib.Path(f'{program}.results').read_bytes()
        # The sum of rows is made in another order; an .npy scalar and a binary one are 8 bytes.
        same = found[:-10] == alone.stdout[:-10] or form == 'text' and len(found) > 100000
        if done.returncode != 0 or not same:
            wrong += f'{form}: status {done.returncode}, {len(found)} bytes, not ' \
                     f'{len(alone.stdout)}\n{done.stderr.decode()}'
    done = subprocess.run([*runs.command(3, program), '-e', 'scaled', '--input', given, '--output',
                           f'{runs.folder}/nowhere/results'], capture_output=True,
                          env=runs.environment, timeout=60)
    text = done.stderr.decode()
    if done.returncode != 1 or text.count('cannot write ') != 1:
        wrong += f'a file that cannot be written: status {done.returncode}\n{text}'
    return wrong


def test_application_ends(runs, mode, *words):
    """What is wrong on one rank of an application ends all of them, with these words, soon."""
    done = subprocess.run(runs.command(3, f'{runs.folder}/application', mode), capture_output=True,
                          text=True, env=runs.environment, timeout=60)
    wrong = [one for one in words if one not in done.stderr]
    if done.returncode != 0 and not wrong:
        return ''
    return f'{mode}: status {done.returncode}, lacks {wrong}:\n{done.stderr}'


def test_memory(runs, _):
    return test_application_ends(runs, 'memory', 'rank 1: Error: out of memory: could not allocate')


def test_arguments(runs, _):
    return test_application_ends(
        runs, 'arguments', 'about to do different things', 'rank 0: call, total of [1000]f64',
        'rank 1: call, total of [1001]f64')


def test_values(runs, _):
    return test_application_ends(
        runs, 'values', 'about to do different things', 'rank 0: call, scaled of 3.0f64, [2][2]f64',
        'rank 1: call, scaled of 4.0f64, [2][2]f64')


def start_three(runs, folder, *options):
    """Three ranks that run for as long as they are let, and what they are."""
    program = runs.build(f'{folder}/killed.fut')
    started = subprocess.Popen(runs.command(3, program, *options), stdin=subprocess.PIPE,
                               env=runs.environment, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    started.stdin.write(b'1000000000000i64 1000i64')
    started.stdin.close()
    # A rank that is stopped while MPI starts is waited for without end.
    begun, _, _ = select.select([started.stderr], [], [], 60)
    if not begun or b'begins' not in started.stderr.readline():
        return started, []
    found = subprocess.run(['pgrep', '-x', '-f', ' '.join([program, *options])],
                           capture_output=True, text=True)
    return started, [int(one) for one in found.stdout.split()]


def end_of(started, seconds):
    """(status, what was said); None where it goes on."""
    try:
        status = started.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        return None
    return status, started.stderr.read().decode()


def test_killed(runs, folder):
    """When one is killed the others end, within seconds."""
    started, ours = start_three(runs, folder)
    if len(ours) < 3:
        started.kill()
        return 'three ranks did not start'
    os.kill(ours[-1], signal.SIGKILL)
    end = end_of(started, 30)
    if end is None:
        started.kill()
        return 'the others did not end'
    return '' if end[0] != 0 else 'success, although one was killed'


def is_running(process):
    """Not a zombie either."""
    try:
        state = pathlib.Path(f'/proc/{process}/stat').read_text().rsplit(')', 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != 'Z'


def test_stopped(runs, folder):
    """The others say where they have waited for one that does not come, and end."""
    started, ours = start_three(runs, folder, '--check-ranks', '2')
    if len(ours) < 3:
        started.kill()
        return 'three ranks did not start'
    os.kill(ours[-1], signal.SIGSTOP)
    deadline = time.time() + 30
    while any(map(is_running, ours[:-1])) and time.time() < deadline:
        time.sleep(0.2)
    ended = time.time() < deadline
    # Some launchers wait for it.
    for one in filter(is_running, ours):
        os.kill(one, signal.SIGKILL)
    end = end_of(started, 30)
    if not ended or end is None:
        started.kill()
        return 'the others did not end'
    if end[0] != 0 and 'has waited 2 seconds for the others before: ' in end[1]:
        return ''
    return f'a rank that does not come: status {end[0]}\n{end[1]}'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('dagaz')
    parser.add_argument('folder')
    parser.add_argument('-n', '--ranks', nargs='*', type=int, default=[1, 2, 3, 4, 7])
    parser.add_argument('--part', choices=PARTS)
    arguments = parser.parse_args()
    dagaz, folder = os.path.abspath(arguments.dagaz), arguments.folder
    found = implementations()
    if not found:
        print('no MPI is installed (Debian, Ubuntu: apt install openmpi-bin libopenmpi-dev)')
        return 77
    ranks_of = {'cpu': arguments.ranks, 'sim': [one for one in arguments.ranks if one in (1, 3, 4)]}
    tests = [('test blocks',
              lambda runs: test_blocks(runs, folder, ranks_of[runs.target], SHARE_ALL)),
             ('deliveries', lambda runs: test_blocks(runs, f'{folder}/deliveries.fut',
                                                     ranks_of[runs.target], DELIVER_ALL))]
    counts_tests = [(f'counts of {source.name}',
                     lambda runs, source=source: test_counts(runs, str(source)))
                    for source in sorted(pathlib.Path(folder).glob('*.fut'))]
    tests += [(title, lambda runs, test=test: test(runs, folder)) for title, test in (
        ('a failure', test_message_of_failure), ('a killed rank', test_killed),
        ('other options', test_other_options), ('another program', test_other_program),
        ('a stopped rank', test_stopped), ('a library', test_library),
        ('too little memory', test_memory), ('other arguments', test_arguments),
        ('other values', test_values), ('files', test_files),
        ('other things', test_other_things),
        ('other devices', test_other_devices), ('checked', test_checked),
        ('a full disk', test_full_disk))]
    some = [one for one in arguments.ranks if one in (2, 3, 4)]
    direct_tests = [(f'{name}, directly', lambda runs, name=name: test_blocks(
        runs, f'{folder}/{name}.fut', some, SHARE_ALL)) for name in SENT_DIRECTLY]
    direct_tests += [(title, lambda runs, test=test: test(runs, folder)) for title, test in (
        ('a library, directly', test_library), ('what carries messages', test_carrier))]
    crowded_tests = [(f'{name}, on one core', lambda runs, name=name: test_blocks(
        runs, f'{folder}/{name}.fut', some, SHARE_ALL)) for name in OF_EACH_KIND]
    core = min(os.sched_getaffinity(0))
    crowded = [(name, compiler, f'taskset -c {core} {launcher}')
               for name, compiler, launcher in found]
    # Which MPI it is makes no difference to a device, unless that one gives it its memory.
    parts = {'cpu': [(False, tests + (counts_tests if one is found[0] else []), 'cpu', *one)
                     for one in found],
             'sim': [(False, tests + counts_tests, 'sim', *found[0])],
             'direct': [(True, direct_tests, 'sim', *one) for one in found],
             'crowded': [(False, crowded_tests, 'cpu', *one) for one in crowded]}
    places = [place for part in ([arguments.part] if arguments.part else PARTS)
              for place in parts[part]]
    failed = 0
    for direct, tests, target, name, compiler, launcher in places:
        with tempfile.TemporaryDirectory() as temporary:
            runs = Runs(dagaz, target, compiler, launcher, temporary, direct)
            for title, test in tests:
                if wrong := test(runs):
                    failed += 1
                    print(f'[FAIL] {name}, {target}, {title}:\n{wrong}')
    print(f'{sum(len(place[1]) for place in places) - failed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
