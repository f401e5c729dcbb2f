"""Times beside others, and as shares of what the machine copies and multiplies."""
import json
import shutil
import statistics
import subprocess
import sys
from typing import NamedTuple

from server import HERE, Failed, Server, environment

PEER_SECONDS = 300


class Case(NamedTuple):
    """`data`: for each argument a scalar with its type, or an entry point and its arguments."""
    name: str
    program: str
    entry: str
    data: list
    moved: int = 0       # bytes that have to go through memory
    operations: int = 0  # sums and products


def cases(small):
    n = 2**12 if small else 2**28
    rows, columns = (64, 48) if small else (16384, 16000)
    side = 32 if small else 4096
    keys = 2**12 if small else 2**26
    heads, length = (2, 16) if small else (16, 2048)
    floats, matrix = ('floats', n), ('matrix', rows, columns)
    square = ('matrix', side, side)
    tall = ('matrix', 4 * side, 32), ('matrix', side, side)
    head = ('matrices', heads, length, 64 if not small else 8)
    width = head[3]
    cells = rows * columns
    both = 4 * heads * length * length * width
    memory = [
        Case('copy', 'memory', 'copied', [floats], 8 * n),
        Case('a x + y', 'memory', 'scaled', [('f32', 2.0), floats, floats], 12 * n),
        Case('sum', 'memory', 'sum', [floats], 4 * n),
        Case('arg-max', 'memory', 'arg_max', [floats], 4 * n),
        Case('scan', 'memory', 'sums', [floats], 8 * n),
        Case('recurrence', 'memory', 'recurrence', [floats, floats], 12 * n),
        Case('filter', 'memory', 'kept', [floats], 6 * n),
        Case('partition', 'memory', 'parted', [floats], 8 * n),
        Case('transposition', 'memory', 'turned', [matrix], 8 * cells),
        Case('sums of rows', 'memory', 'sums_of_rows', [matrix], 4 * cells),
        Case('sums of columns', 'memory', 'sums_of_columns', [matrix], 4 * cells),
        Case('gather', 'memory', 'gathered', [('floats', keys), ('indices_of', keys)], 16 * keys),
        Case('stencil of five points', 'memory', 'smoothed', [matrix], 8 * cells),
    ]
    histograms = [Case(f'{name}, {bins} bins', 'histograms', entry,
                       [('i64', bins), ('keys', bins, keys), *more], (8 + 4 * len(more)) * keys)
                  for bins in (16, 1000, 10**6 if not small else 2000)
                  for name, entry, more in (('counts', 'counts', []),
                                            ('weights', 'weights', [('floats', keys)]),
                                            ('greatest', 'greatest', [('floats', keys)]),
                                            ('place of the greatest', 'arg_greatest',
                                             [('floats', keys)]))]
    sorting = [Case('sort i32', 'sorting', 'sorted_integers', [('integers', keys)], 32 * keys),
               Case('sort f32', 'sorting', 'sorted_floats', [('floats', keys)], 32 * keys)]
    layers = [
        Case('product', 'layers', 'product', [square, square], 0, 2 * side**3),
        Case('product, gradient', 'layers', 'product_gradient', [square] * 3, 0, 4 * side**3),
        Case('batch of products', 'layers', 'batch',
             [('matrices', 64 if not small else 3, side // 8, side // 8)] * 2, 0,
             2 * (64 if not small else 3) * (side // 8)**3),
        Case('softmax, narrow', 'layers', 'softmax', [tall[0]], 8 * 4 * side * 32),
        Case('softmax, wide', 'layers', 'softmax', [tall[1]], 8 * side * side),
        Case('layer norm', 'layers', 'layer_norm', [square, *[('vector', side)] * 2],
             8 * side * side),
        Case('layer norm, gradient', 'layers', 'layer_norm_gradient',
             [square, *[('vector', side)] * 2, square], 12 * side * side),
        Case('cross entropy, gradient', 'layers', 'entropy_gradient',
             [square, ('labels', side, side)], 8 * side * side),
        Case('attention', 'layers', 'attention', [head] * 3, 0, both),
        Case('attention, gradient', 'layers', 'attention_gradient', [head] * 4, 0, 3 * both),
        Case('convolution 3×3', 'layers', 'convolution', [square, ('matrix', 3, 3)],
             8 * side * side),
    ]
    return memory + histograms + sorting + layers


def gradients(small):
    """Programs of the literature: their size, and what a gradient may cost."""
    sizes = json.loads((HERE / 'gradients.json').read_text())
    return [(name, one['small'] if small else one['full']) for name, one in sizes.items()]


def timed(server, entry, arguments, runs):
    times = []
    for _ in range(runs + 1):
        result, took = server.call(entry, *arguments)
        server.free(result)
        times.append(took)
    return {'least': min(times[1:]), 'median': statistics.median(times[1:])}


def made(server, data):
    """Arguments in the program."""
    names = []
    for maker, *numbers in data:
        if maker in ('i64', 'f32'):
            names.append(server.put(maker, numbers[0]))
            continue
        sizes = [server.put('i64', number) for number in numbers]
        names.append(server.call(maker, *sizes)[0])
        server.free(*sizes)
    return names


def of_case(case, runs, program=None):
    with Server(program or case.program, 300) as server:
        return timed(server, case.entry, made(server, case.data), runs)


def of_gradient(name, sizes, runs):
    with Server(name, 300) as server:
        numbers = [server.put('i64', size) for size in sizes]
        data, _ = server.call('generate', *numbers)
        kind = server.say('output', 'generate')[0]
        fields = [line.split()[0] for line in server.say('fields', f'"{kind}"')]
        arguments = []
        for field in fields:
            arguments.append(server.name())
            server.say('project', arguments[-1], data, field)
        found = {entry: timed(server, entry, arguments, runs) for entry in ('primal', 'gradient')}
    return {**found['gradient'], 'primal': found['primal']['least'],
            'of the primal': round(found['gradient']['least'] / max(found['primal']['least'], 1),
                                   2)}


def compiled(name, *options):
    """A program of others, if it is there or nvcc is, and its source."""
    program = HERE / 'peers' / name.split('.')[0]
    nvcc = shutil.which('nvcc')
    if not program.exists() and nvcc and (HERE / 'peers' / name).exists():
        subprocess.run([nvcc, '-O3', HERE / 'peers' / name, '-o', program, *options], check=False,
                       capture_output=True)
    return program


def peers(small):
    """The commands of others; each prints a line `{"name": …, "microseconds": …}` for every case."""
    size = 'small' if small else 'full'
    return {'PyTorch': [sys.executable, HERE / 'peers' / 'with_torch.py', size],
            'JAX': [sys.executable, HERE / 'peers' / 'with_jax.py', size],
            'CUB': [compiled('with_cub.cu'), size],
            'cuBLAS': [compiled('with_cublas.cu', '-lcublas'), size]}


def of_futhark(small):
    """Futhark's CUDA code of the same programs."""
    times, why = {}, 'no code of it in this bundle, or no nvcc'
    for case in cases(small):
        program = compiled(f'futhark_{case.program}.c', '-include',
                           HERE / 'peers' / 'futhark_cuda.h', '-lcuda', '-lnvrtc')
        if program.exists():
            try:
                times[case.name] = of_case(case, 10, program)['least']
            except Failed as failure:
                why = f'{case.name}: {failure}'
    return times, '' if times else why


def of_peer(command):
    """Times by case, or why there are none."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment(),
                              timeout=PEER_SECONDS, check=False)
    except OSError as problem:
        return {}, str(problem)
    except subprocess.TimeoutExpired as late:
        printed, why = (late.stdout or b'').decode(), f'not done in {PEER_SECONDS} s'
    else:
        printed = done.stdout
        why = '' if done.returncode == 0 else (done.stderr.strip().splitlines() or ['?'])[-1][:200]
    lines = [json.loads(line) for line in printed.splitlines() if line.startswith('{')]
    return {line['name']: line['microseconds'] for line in lines}, why


def rows(bundle, save):
    small = bundle['small']
    others, absent = {}, {}
    if not bundle['no peers']:
        for who, command in peers(small).items():
            others[who], absent[who] = of_peer(command)
        others['Futhark'], absent['Futhark'] = of_futhark(small)
    save({'name': 'others', 'good': True, 'times': others,
          'absent': {who: why for who, why in absent.items() if why}})
    copied = None
    for case in cases(small):
        row = {'name': case.name}
        try:
            row |= of_case(case, 3 if small else 10) | {'good': True}
            seconds = max(row['least'], 1) * 1e-6
            if case.moved:
                rate = case.moved / seconds
                copied = copied or rate
                row |= {'GB/s': round(rate / 1e9, 1), 'of copy': round(100 * rate / copied)}
            if case.operations:
                row['Gflop/s'] = round(case.operations / seconds / 1e9)
            row['beside'] = {who: round(times[case.name] / max(row['least'], 1), 2)
                             for who, times in others.items() if case.name in times}
        except Failed as failure:
            row |= {'good': False, 'problem': str(failure)}
        save(row)
    for name, sizes in gradients(small):
        row = {'name': ' '.join([name, *map(str, sizes)])}
        try:
            row |= of_gradient(name, sizes, 3) | {'good': True}
        except Failed as failure:
            row |= {'good': False, 'problem': str(failure)}
        save(row)


def page(found):
    others = next((row for row in found if row['name'] == 'others'), {'times': {}, 'absent': {}})
    names = [who for who, times in others['times'].items() if times]
    for who, why in others['absent'].items():
        yield f'{who} is missing or has failed: {why}\n'
    yield ('Least of several calls. Per cent of what `copy` moves in a second; beside others: their '
           'time over ours.\n')
    yield '| | ms | GB/s | of copy | Gflop/s |' + ''.join(f' {who} |' for who in names)
    yield '|---|---|---|---|---|' + '---|' * len(names)
    for row in found:
        if 'problem' in row:
            yield f'| {row["name"]} | **{row["problem"]}** |'
        elif 'of the primal' in row:
            yield (f'| {row["name"]}, gradient | {row["least"] / 1000:.3f} | | '
                   f'{row["of the primal"]} × the primal | |')
        elif 'least' in row:
            share = f'{row["of copy"]} %' if 'of copy' in row else ''
            beside = ''.join(f' {row["beside"].get(who, "")} |' for who in names)
            yield (f'| {row["name"]} | {row["least"] / 1000:.3f} | {row.get("GB/s", "")} | {share} '
                   f'| {row.get("Gflop/s", "")} |{beside}')
