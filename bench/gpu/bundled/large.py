"""Large scans, reductions, histograms and moves that check themselves, several times each: what only
many blocks at once can show."""
from server import Server, row_of

# Entry point, its arguments at full size and at a small one.
CASES = [
    *((name, [2**28], [2**14]) for name in (
        'scan_i32', 'scan_f32_max', 'scan_pairs', 'scan_flagged', 'sum', 'arg_max', 'kept',
        'parted', 'scattered')),
    *((name, [bins, 2**26], [min(bins, 1000), 2**13])
      for name in ('counts', 'greatest', 'arg_greatest', 'locked') for bins in (4, 1000, 10**6)),
    ('turned', [16384, 16000], [100, 70]),
    ('product', [2048], [50]),
]


def rows(bundle, save):
    for entry, full, small in CASES:
        arguments = small if bundle['small'] else full
        with row_of(' '.join([entry, *map(str, arguments)]), save) as row:
            with Server('large', 300) as server:
                names = [server.put('i64', number) for number in arguments]
                wrong, times = [], []
                for _ in range(2 if bundle['small'] else 10):
                    result, took = server.call(entry, *names)
                    wrong.append(server.get(result)[2][0])
                    times.append(took)
                    server.free(result)
            row |= {'wrong': wrong, 'microseconds': min(times), 'good': not any(wrong)}


def page(found):
    yield 'Calls that check themselves, with the check in the time.\n'
    yield '| call | wrong elements of each run | ms |\n|---|---|---|'
    for row in found:
        if 'problem' in row:
            yield f'| {row["name"]} | **{row["problem"]}** | |'
        else:
            shown = '0' if row['good'] else '**' + ' '.join(map(str, row['wrong'])) + '**'
            yield f'| {row["name"]} | {shown} | {row["microseconds"] / 1000:.2f} |'
