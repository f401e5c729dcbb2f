#!/usr/bin/env python3
"""Tables and a picture of what compare.py has measured.

usage: report.py RESULTS.json [--clock wall|processor] [--markdown FILE] [--svg FILE]
"""
import argparse
import json
import math
import sys
from html import escape
from pathlib import Path

PEERS = ('Futhark', 'NumPy', 'JAX')


def best_peer(times):
    """The fastest of the others, or None where Dagaz was alone."""
    return min((name for name in times if name != 'Dagaz'),
               key=lambda name: times[name]['median'], default=None)


def limit(result, document):
    """The least seconds that this machine could take: to read arguments and write results once, or
    to multiply and add; None where neither limits the case."""
    threads = result['threads']
    least = 0
    if result['flops']:
        least = result['flops'] / (1e9 * document['peak'][result['element']] * threads)
    elif not result['copies']:
        return None
    speed = result.get('bandwidth') or document['bandwidth'][str(threads)]
    read, written = result['bytes_read'], result['bytes_written']
    moved = {'read': read, 'write': written, 'copy': read + written}
    return max(least, *(moved[way] / (1e9 * rate) for way, rate in speed.items()))


def geometric_mean(numbers):
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def milliseconds(times, name):
    return f'{times[name]["median"] * 1e3:.3g}' if name in times else ''


def row(result, document, clock):
    if 'failed' in result:
        return f'| {result["name"]} | failed: {result["failed"]} ||||||||'
    times = result[clock]
    best = best_peer(times)
    ratio = spread = ''
    if best:
        middle = times[best]['ratio']
        ratio = f'{middle["median"]:.2f}'
        spread = f'{middle["low"]:.2f} … {middle["high"]:.2f}'
    least = limit(result, document)
    share = f'{100 * least / times["Dagaz"]["least"]:.0f} %' if least else ''
    others = ' | '.join(milliseconds(times, name) for name in PEERS)
    return (f'| {result["name"]} | {milliseconds(times, "Dagaz")} | {others} | {best or ""} '
            f'| {ratio} | {spread} | {share} |')


def ratios(results, clock):
    """Of the best peer's time over Dagaz's, by case."""
    found = {}
    for result in results:
        best = None if 'failed' in result else best_peer(result[clock])
        if best:
            found[result['name']] = result[clock][best]['ratio']['median']
    return found


def summary(results, clock):
    """What a run comes to, over all cases that have a peer."""
    known = ratios(results, clock)
    if not known:
        return 'No peers were here.\n'
    behind = [f'{name} {ratio:.2f}'
              for name, ratio in sorted(known.items(), key=lambda each: each[1]) if ratio < 1]
    lines = [f'Over the best peer of each of {len(known)} cases: geometric mean '
             f'{geometric_mean(known.values()):.2f}, {len(known) - len(behind)} ahead.']
    if behind:
        lines.append(f'Behind: {", ".join(behind)}.')
    for name in PEERS:
        beside = [result[clock][name]['ratio']['median'] for result in results
                  if name in result.get(clock, {})]
        if beside:
            lines.append(f'Beside {name}: {len(beside)} cases, geometric mean '
                         f'{geometric_mean(beside):.2f}.')
    return '\n'.join(lines) + '\n'


def head(document, clock):
    versions = '; '.join(document['versions'].values())
    peak = document['peak']
    lines = [f'{document["machine"]}; begun {document["started"]}, load at the beginning and '
             f'the end {", ".join(f"{each:.1f}" for each in document["load"])}.', f'{versions}.',
             f'A core multiplies and adds {peak["float"]:.0f} (f32) and {peak["double"]:.0f} (f64) '
             f'GFLOP/s at most.']
    for threads, speed in document['bandwidth'].items():
        rates = ', '.join(f'{way} {rate:.1f}' for way, rate in speed.items())
        lines.append(f'{threads} thread(s), at the beginning: {rates} GB/s, arrays of 128 MiB.')
    if document.get('busy_core') is not None:
        lines.append(f'Core {document["busy_core"]} was busy half of the time, 5 ms on and 5 ms '
                     'off, while the cases ran.')
    if document['absent']:
        lines.append(f'Missing: {", ".join(document["absent"])}.')
    kind = 'on the clock' if clock == 'wall' else "of the processor's time"
    lines.append(f'Milliseconds {kind}, medians; the ratio is that of the best peer over Dagaz, '
                 'its median and quartiles over rounds; the last column the least time that the '
                 "machine took for as much in these rounds over the least of Dagaz's.")
    return '\n'.join(lines) + '\n'


def notes(results):
    """What the table does not show: results that are off, and who could not take part."""
    for result in results:
        for name in result.get('far', []):
            if name in result.get('wall', {}):
                yield (f'- {result["name"]}: the result of {name} is off by '
                       f'{result["differences"][name]:.0e}.')
        for name, reason in result['absent'].items() if 'absent' in result else ():
            yield f'- {result["name"]}: without {name}: {" ".join(reason.split())}'


def markdown(document, clock):
    parts = [head(document, clock)]
    for threads in sorted({result['threads'] for result in document['results']}):
        results = [each for each in document['results'] if each['threads'] == threads]
        parts.append(f'## {threads} thread{"s" if threads > 1 else ""}\n\n'
                     f'{summary(results, clock)}')
        columns = ('case', 'Dagaz', *PEERS, 'best peer', 'ratio', 'spread', 'of the limit')
        table = [f'| {" | ".join(columns)} |', '|---' * len(columns) + '|']
        parts.append('\n'.join(table + [row(each, document, clock) for each in results]) + '\n')
        said = '\n'.join(notes(results))
        parts.append(f'{said}\n' if said else '')
    return '\n'.join(parts)


# ---------------------------------------------------------------- the picture

STYLE = '''
    text { fill: #1c1f24; } .quiet { fill: #5c6470; font-size: 11px; }
    .line { stroke: #c5cad1; } .one { stroke: #0b5cad; stroke-width: 2; }
    .reach { stroke: #c5cad1; stroke-width: 3; }
    .Futhark { fill: #8a5cc2; } .NumPy { fill: #d08a1d; } .JAX { fill: #1f9d6b; }
    @media (prefers-color-scheme: dark) {
      text { fill: #dfe3ea; } .quiet { fill: #98a1ae; }
      .line, .reach { stroke: #464e58; } .one { stroke: #7ab8f5; }
    }
  '''
LEAST, MOST = 0.08, 32  # the axis; what is beyond stands at its end
NAMES, WIDTH, PANEL, ROW, TOP = 190, 270, 500, 15, 64


def across(ratio):
    share = math.log(min(max(ratio, LEAST), MOST) / LEAST) / math.log(MOST / LEAST)
    return NAMES + share * WIDTH


def points(result, clock, x, y):
    """A case in the picture: its name, and a dot for each peer."""
    times = result[clock]
    beside = {name: times[name]['ratio']['median'] for name in PEERS if name in times}
    yield (f'<text class="quiet" x="{x + NAMES - 10}" y="{y + 4}" text-anchor="end">'
           f'{escape(result["name"])}</text>')
    if beside:
        ends = [x + across(end) for end in (min(beside.values()), max(beside.values()))]
        yield (f'<line class="reach" x1="{ends[0]:.1f}" x2="{ends[1]:.1f}" y1="{y}" y2="{y}"/>')
    for name, ratio in beside.items():
        yield (f'<circle class="{name}" cx="{x + across(ratio):.1f}" cy="{y}" r="4">'
               f'<title>{escape(result["name"])}: {name} takes {ratio:.2f} times as long</title>'
               '</circle>')


def axis(x, bottom):
    for tick in (0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32):
        at = x + across(tick)
        kind = 'one' if tick == 1 else 'line'
        yield f'<line class="{kind}" x1="{at:.1f}" x2="{at:.1f}" y1="{TOP - 8}" y2="{bottom}"/>'
        yield (f'<text class="quiet" x="{at:.1f}" y="{TOP - 14}" text-anchor="middle">{tick:g}'
               '</text>')


def picture(document, clock):
    """How many times as long each peer takes, on one thread or the fewest that were measured."""
    threads = min(result['threads'] for result in document['results'])
    results = [each for each in document['results']
               if each['threads'] == threads and 'failed' not in each]
    rows = math.ceil(len(results) / 2)
    bottom = TOP + rows * ROW
    width = 2 * PANEL
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom + 16}" '
             'font-family="system-ui, sans-serif" font-size="13">',
             '  <title>Times of other compilers and libraries over those of Dagaz</title>',
             f'  <style>{STYLE}</style>',
             f'  <text x="12" y="22">Time over that of Dagaz, {threads} '
             f'thread{"s" if threads > 1 else ""}: right of the line Dagaz is faster</text>']
    for place, name in enumerate(PEERS):
        x = width - 300 + 100 * place
        lines.append(f'  <circle class="{name}" cx="{x}" cy="18" r="5"/>'
                     f'<text x="{x + 10}" y="22">{name}</text>')
    for panel in range(2):
        x = panel * PANEL
        lines += [f'  {line}' for line in axis(x, bottom)]
        for place, result in enumerate(results[panel * rows:(panel + 1) * rows]):
            y = TOP + place * ROW + ROW // 2
            lines += [f'  {line}' for line in points(result, clock, x, y)]
    return '\n'.join([*lines, '</svg>']) + '\n'


def write(document, clock, markdown_file, svg_file):
    """To the files, or as a table to standard output."""
    if not document['results']:
        return
    text = markdown(document, clock)
    if markdown_file:
        Path(markdown_file).write_text(text, encoding='utf-8')
    else:
        print(text)
    if svg_file:
        Path(svg_file).write_text(picture(document, clock), encoding='utf-8')


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('results')
    parser.add_argument('--clock', choices=('wall', 'processor'), default='wall')
    parser.add_argument('--markdown', metavar='FILE')
    parser.add_argument('--svg', metavar='FILE')
    options = parser.parse_args()
    document = json.loads(Path(options.results).read_text(encoding='utf-8'))
    write(document, options.clock, options.markdown, options.svg)


if __name__ == '__main__':
    sys.exit(main())
