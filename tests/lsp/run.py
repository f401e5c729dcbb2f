#!/usr/bin/env python3
"""A scripted client opens, edits and asks the language server everything it answers.

usage: run.py DAGAZ
"""
import json
import os
import pathlib
import sys
import tempfile
import time

from client import Client, RequestFailed

LIBRARY = '''-- | Points of the plane.
module type point = {
  type t
  -- | The length of a vector.
  val norm : t -> f64
  val origin : t
}

module plane: point with t = (f64, f64) = {
  type t = (f64, f64)
  def norm (x, y) = f64.sqrt (x * x + y * y)
  def origin = (0f64, 0f64)
}

-- | Twice its argument.
def twice (x: f64) = 2 * x

type~ table = {rows: i64, cells: []f64}
'''
PROGRAM = '''-- | A program.
import "lib"

type shape = #circle f64 | #square f64

-- | The area of a shape.
def area (s: shape) : f64 =
  match s
  case #circle r -> f64.pi * r * r
  case #square a -> a * a

def total [n] (shapes: [n]shape) =
  let areas = map area shapes
  let largest = f64.maximum areas
  in f64.sum areas + largest

entry main (n: i64) : f64 =
  let shapes = tabulate n (\\i -> #circle (f64.i64 i))
  let point = {x = 1f64, y = 2f64}
  in twice (total shapes) + point.x + plane.norm (point.x, point.y)
'''
GRADIENT = '''def loss [n] (xs: [n]f64) =
  f64.sum (map (\\x -> x * f64.sin x) xs)

entry gradient [n] (xs: [n]f64) : [n]f64 =
  vjp loss xs 1
'''


def with_label(items, label):
    found = [item for item in items if item['label'] == label]
    assert found, f'{label} is missing from {[item["label"] for item in items][:50]}'
    return found[0]


def check_diagnostics(client):
    assert client.diagnostics('main.fut') == []
    assert client.diagnostics('lib.fut') == []
    begin = client.texts['main.fut'].index('f64.sum areas')
    client.replace('main.fut', begin, begin + len('f64.sum areas'), 'f64.sum area')
    [mistake] = client.diagnostics('main.fut')
    assert mistake['severity'] == 1 and mistake['code'] == 'type-mismatch', mistake
    assert client.part('main.fut', mistake['range']) == 'area', mistake
    client.replace('main.fut', begin, begin + len('f64.sum area'), 'f64.sum areas')
    assert client.diagnostics('main.fut') == []
    # A mistake in one declaration leaves what is said about another.
    client.rewrite('main.fut', PROGRAM + 'def broken = (\ndef other = unknown\n')
    codes = [item['code'] for item in client.diagnostics('main.fut')]
    assert codes == ['syntax', 'unknown-name'], codes
    client.rewrite('main.fut', PROGRAM)
    assert client.diagnostics('main.fut') == []
    # What is imported matters as it is in the editor.
    client.rewrite('lib.fut', LIBRARY.replace('twice', 'thrice'))
    [mistake] = client.diagnostics('main.fut')
    assert mistake['code'] == 'unknown-name', mistake
    client.rewrite('lib.fut', LIBRARY)
    assert client.diagnostics('main.fut') == []


def check_hover(client):
    def hover(word, nth=0, inside=0):
        found = client.query('hover', 'main.fut', client.at('main.fut', word, nth, inside))
        return found and found['contents']['value']
    assert 'def area: ' in hover('area (s'), hover('area (s')
    assert hover('The area') is None
    assert 'The area of a shape.' in hover('map area', inside=4)
    assert 'largest: f64' in hover('largest')
    assert 'areas: [n]f64' in hover('areas'), hover('areas')
    assert 'Twice its argument.' in hover('twice'), hover('twice')
    assert 'The length of a vector.' in hover('plane.norm', inside=6), hover('plane.norm', inside=6)
    assert 'module plane' in hover('plane.norm')
    assert '.x: f64' in hover('point.x', inside=6), hover('point.x', inside=6)
    assert 'here:' in hover('map area'), hover('map area')
    assert hover('in f64') is None


def check_navigation(client, folder):
    def definition(word, nth=0, inside=0):
        return client.query('definition', 'main.fut', client.at('main.fut', word, nth, inside))
    found = definition('twice')
    assert found['uri'] == client.uri('lib.fut'), found
    assert client.part('lib.fut', found['range']) == 'twice'
    found = definition('plane.norm', inside=6)
    assert found['range']['start']['line'] == LIBRARY[:LIBRARY.index('def norm')].count('\n'), found
    assert definition('import "lib"', inside=9)['uri'] == client.uri('lib.fut')
    found = definition('tabulate')
    text = pathlib.Path(found['uri'].removeprefix('file://')).read_text()
    line = text.split('\n')[found['range']['start']['line']]
    assert 'tabulate' in line, line
    found = client.query('typeDefinition', 'lib.fut', client.at('lib.fut', 'origin :'))
    assert client.part('lib.fut', found['range']) == 't', found

    found = client.query('references', 'lib.fut', client.at('lib.fut', 'twice'),
                         context={'includeDeclaration': True})
    assert sorted(item['uri'] for item in found) == [client.uri('lib.fut'), client.uri('main.fut')]
    found = client.query('references', 'main.fut', client.at('main.fut', 'areas'),
                         context={'includeDeclaration': False})
    assert len(found) == 2, found
    found = client.query('documentHighlight', 'main.fut', client.at('main.fut', 'shapes', 1))
    assert len(found) == 2, found


def edits_by_file(client, result):
    """The texts of all files after the edits of a rename."""
    texts = {}
    for name in client.texts:
        lines_before = client.texts[name]
        offsets = []
        for edit in result['changes'].get(client.uri(name), []):
            start = sum(len(line) + 1 for line in
                        lines_before.split('\n')[:edit['range']['start']['line']])
            begin = start + edit['range']['start']['character']
            offsets.append((begin, begin + len(client.part(name, edit['range'])),
                            edit['newText']))
        for begin, end, new in sorted(offsets, reverse=True):
            lines_before = lines_before[:begin] + new + lines_before[end:]
        texts[name] = lines_before
    return texts


def check_rename(client):
    place = client.at('lib.fut', 'twice')
    assert client.query('prepareRename', 'lib.fut', place)['placeholder'] == 'twice'
    texts = edits_by_file(client, client.query('rename', 'lib.fut', place, newName='doubled'))
    assert 'def doubled' in texts['lib.fut'] and 'in doubled (total' in texts['main.fut'], texts
    # What a module defines and what its type says of it are one.
    place = client.at('main.fut', 'plane.norm', inside=6)
    texts = edits_by_file(client, client.query('rename', 'main.fut', place, newName='length'))
    assert 'val length' in texts['lib.fut'] and 'def length' in texts['lib.fut'], texts
    assert 'plane.length' in texts['main.fut'], texts
    for new, why in (('total', 'already means'), ('if', 'no name'), ('2x', 'no name')):
        try:
            client.query('rename', 'main.fut', client.at('main.fut', 'area (s'), newName=new)
            raise AssertionError(f'area was renamed to {new}')
        except RequestFailed as failure:
            assert why in str(failure), failure
    try:
        client.query('rename', 'main.fut', client.at('main.fut', 'tabulate'), newName='make')
        raise AssertionError('a name of the library was renamed')
    except RequestFailed as failure:
        assert 'standard library' in str(failure), failure
    # Names that are fields as well, and names that are used and defined by one word.
    client.open('puns.fut', 'def f (r: {a: i32, b: i32}) =\n  let {a, b} = r\n'
                            '  let xs = [a, b]\n  let xs[0] = 1\n  in {a, xs}\n'
                            'def g (n: i64) (acc: i64) = loop (acc) for i < n do acc + i\n')
    assert client.diagnostics('puns.fut') == []
    for word, new, wanted in (('a, b} =', 'c', ['let {a = c, b}', '[c, b]', 'in {a = c, xs}']),
                              ('xs', 'ys', ['let ys = ', 'let ys[0]', '{a, xs = ys}']),
                              ('acc', 's', ['(s: i64)', 'loop (s)', 'do s + i'])):
        result = client.query('rename', 'puns.fut', client.at('puns.fut', word), newName=new)
        text = edits_by_file(client, result)['puns.fut']
        assert all(part in text for part in wanted), text


def check_symbols(client):
    names = [item['name'] for item in client.query('documentSymbol', 'main.fut')]
    assert names == ['shape', 'area', 'total', 'main'], names
    outline = client.query('documentSymbol', 'lib.fut')
    [plane] = [item for item in outline if item['name'] == 'plane']
    assert [item['name'] for item in plane['children']] == ['t', 'norm', 'origin'], plane
    found = client.ask('workspace/symbol', {'query': 'nor'})
    assert {item['name'] for item in found} == {'norm'}, found


def complete(client, before, after=''):
    """What is offered between the two texts, at the end of the program."""
    text = PROGRAM + before
    client.rewrite('main.fut', text + after)
    found = client.query('completion', 'main.fut', client.place('main.fut', len(text)))
    return found and found['items']


def check_completion(client):
    items = complete(client, 'def f (apples: i64) =\n  let pears = 2 * ap')
    assert with_label(items, 'apples')['detail'] == 'apples: i64'
    assert with_label(items, 'area')['documentation']['value'] == 'The area of a shape.'
    assert with_label(items, 'map') and with_label(items, 'f64') and with_label(items, 'match')
    assert 'pears' not in [item['label'] for item in items]
    [snippet] = [item for item in items if item['label'] == 'reduce' and item['kind'] == 15]
    assert snippet['insertTextFormat'] == 2, snippet
    assert snippet['textEdit']['newText'] == 'reduce (${1:+}) ${2:0} ${3:xs}', snippet
    items = complete(client, 'def f (x: f64) = f64.', '\n\ndef g = 1i32\n')
    assert with_label(items, 'sqrt')['detail'].startswith('def sqrt: '), items[0]
    assert 'area' not in [item['label'] for item in items]
    items = complete(client, 'def f (p: {left: i64, right: f32}) = p.')
    assert [item['label'] for item in items] == ['left', 'right'], items
    # The type of the element is known from what stands behind.
    items = complete(client, 'def f (ps: []{left: i64, right: f32}) = map (\\p -> p.l', ') ps')
    assert [item['label'] for item in items] == ['left', 'right'], items
    items = complete(client, 'def f: shape = #')
    assert [item['label'] for item in items] == ['circle', 'square'], items
    items = complete(client, 'def f (x: sh', ') = x')
    assert with_label(items, 'shape')['kind'] == 22
    assert complete(client, '-- area of ar') is None
    items = complete(client, 'def f (xs: []f64) =\n  let n = if f64.sum xs > 0 then x')
    assert with_label(items, 'xs')
    client.rewrite('main.fut', PROGRAM)


def check_signature_help(client):
    client.rewrite('main.fut', PROGRAM + 'def f (start: i64) (by: f64) (n: i64) = start + n\n'
                                         'def g = f 1 ')
    found = client.query('signatureHelp', 'main.fut',
                         client.place('main.fut', len(client.texts['main.fut'])))
    [signature] = found['signatures']
    assert found['activeParameter'] == 1, found
    begin, end = signature['parameters'][1]['label']
    assert signature['label'][begin:end] == '(by: f64)', signature
    client.rewrite('main.fut', PROGRAM)


def check_tokens(client):
    legend = client.server['capabilities']['semanticTokensProvider']['legend']['tokenTypes']
    data = client.query('semanticTokens/full', 'main.fut')['data']
    lines = PROGRAM.split('\n')
    line = character = 0
    found = []
    for i in range(0, len(data), 5):
        line, character = line + data[i], data[i + 1] + (character if data[i] == 0 else 0)
        found.append((lines[line][character:character + data[i + 2]], legend[data[i + 3]]))
    for wanted in (('-- | A program.', 'comment'), ('import', 'keyword'), ('"lib"', 'string'),
                   ('area', 'function'), ('s', 'parameter'), ('shape', 'type'), ('f64', 'type'),
                   ('#circle', 'enumMember'), ('f64', 'namespace'), ('*', 'operator'),
                   ('areas', 'variable'), ('1f64', 'number'), ('plane', 'namespace')):
        assert wanted in found, (wanted, found)


def check_layout(client):
    folds = client.query('foldingRange', 'main.fut')
    start = PROGRAM[:PROGRAM.index('def area')].count('\n')
    assert {'startLine': start, 'endLine': start + 3} in folds, folds
    [chain] = client.query('selectionRange', 'main.fut',
                           positions=[client.at('main.fut', 'largest', 1)])
    texts = []
    while chain:
        texts.append(client.part('main.fut', chain['range']))
        chain = chain.get('parent')
    assert texts[:2] == ['largest', 'f64.sum areas + largest'], texts
    assert client.query('formatting', 'main.fut', options={}) == []
    client.open('untidy.fut', 'def f = 1i32\n\ndef  g x=x+f\n\ndef h = 2i32\n')
    [edit] = client.query('formatting', 'untidy.fut', options={})
    assert edit['newText'] == 'def g x = x + f\n', edit
    assert client.part('untidy.fut', edit['range']) == 'def  g x=x+f\n', edit


def check_hints(client):
    span = {'start': {'line': 0, 'character': 0}, 'end': client.place('main.fut', len(PROGRAM))}
    hints = client.query('inlayHint', 'main.fut', range=span)
    lines = PROGRAM.split('\n')
    found = {lines[h['position']['line']][:h['position']['character']].split()[-1] + h['label']
             for h in hints}
    for wanted in ('areas: [n]f64', 'largest: f64', '[n]shape): f64', 'point: {x: f64, y: f64}'):
        assert wanted in found, (wanted, found)
    assert not any(text.startswith('s: ') for text in found), found


def check_derivative_hints(client):
    """At the end of a line, how what it has is differentiated; a crash of the passes is no hint."""
    client.open('gradient.fut', GRADIENT)
    assert client.diagnostics('gradient.fut') == []

    def hints():
        text = client.texts['gradient.fut']
        span = {'start': {'line': 0, 'character': 0},
                'end': client.place('gradient.fut', len(text))}
        lines = text.split('\n')
        return {lines[h['position']['line']]: h
                for h in client.query('inlayHint', 'gradient.fut', range=span)
                if h['label'].startswith('∂')}
    found = hints()
    assert set(found) == {'  f64.sum (map (\\x -> x * f64.sin x) xs)'}, found
    [hint] = found.values()
    assert hint['label'] == '∂ reduce + reverse, map forward', hint
    assert 'every element gets the adjoint of the sum' in hint['tooltip'], hint
    assert hint['position']['character'] == len(next(iter(found))), hint
    client.rewrite('gradient.fut', GRADIENT.replace('vjp loss', 'id'))
    assert hints() == {}
    client.rewrite('gradient.fut', GRADIENT.replace('f64.sin', 'f64.sinus'))
    assert hints() == {}


def actions(client, name, word):
    place = client.at(name, word)
    return client.query('codeAction', name, range={'start': place, 'end': place},
                        context={'diagnostics': []})


def check_actions(client):
    """What is suggested can be chosen, and cures."""
    text = PROGRAM.replace('let largest', 'let largset') + 'def last (xs: []i64) = xs [0]\n'
    client.rewrite('main.fut', text)
    assert len(client.diagnostics('main.fut')) == 2
    [action] = actions(client, 'main.fut', 'largest')
    assert action['kind'] == 'quickfix' and action['isPreferred'], action
    assert action['title'] == 'A similar name exists: `largset`', action
    assert action['diagnostics'][0]['code'] == 'unknown-name', action
    text = edits_by_file(client, action['edit'])['main.fut']
    assert 'areas + largset' in text, text
    [action] = actions(client, 'main.fut', 'xs [0]')
    client.rewrite('main.fut', edits_by_file(client, action['edit'])['main.fut'])
    assert 'xs[0]' in client.texts['main.fut']
    assert actions(client, 'main.fut', 'entry main') == []
    client.rewrite('main.fut', PROGRAM)
    assert client.diagnostics('main.fut') == []


def check_lenses(client, folder):
    """A test block runs from its lens, alone."""
    text = ('-- ==\n-- entry: twice\n-- input { 2i32 } output { 4i32 }\n\n'
            'entry twice (x: i32) = x + x\n\n'
            '-- ==\n-- entry: wrong\n-- input { 2i32 } output { 5i32 }\n\n'
            'entry wrong (x: i32) = x * x\n')
    (folder / 'tested.fut').write_text(text)
    client.open('tested.fut', text)
    lenses = client.query('codeLens', 'tested.fut')
    assert [lens['range']['start']['line'] for lens in lenses] == [0, 0, 6, 6], lenses
    test, bench, wrong, _ = [lens['command'] for lens in lenses]
    assert client.ask('workspace/executeCommand', test)['succeeded']
    done = client.ask('workspace/executeCommand', wrong)
    assert not done['succeeded'] and 'wrong' in done['output'], done
    assert bench['command'] == 'dagaz.bench' and bench['arguments'][1] == 1, bench
    try:
        client.ask('workspace/executeCommand', {'command': 'rm', 'arguments': []})
        raise AssertionError('a command that does not exist was run')
    except RequestFailed:
        pass


def children(client):
    return pathlib.Path(f'/proc/{client.process.pid}/task').glob('*/children')


def is_running(client):
    """Whether the server has started a process that has not ended."""
    return any(path.read_text().strip() for path in children(client))


def wait_for(condition):
    """What a process does in its own time; an end of the test's patience is a failure."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def check_cancelled(client, number):
    try:
        client.answer(number)
        raise AssertionError('a run that was cancelled was answered')
    except RequestFailed as failure:
        assert str(failure) == 'cancelled', failure


def check_runs(client, folder):
    """A block that never ends is shown as such, keeps nothing waiting, and can be cancelled."""
    text = ('-- ==\n-- input { 1i64 } output { 1i64 }\n'
            'entry main (n: i64) = loop x = n while x > 0 do i64.max x 1\n')
    (folder / 'endless.fut').write_text(text)
    client.open('endless.fut', text)
    command = client.query('codeLens', 'endless.fut')[0]['command']
    tested = client.query('codeLens', 'tested.fut')[0]['command']
    client.progress.clear()  # of runs that have ended
    number = client.begin('workspace/executeCommand', command)
    token, value = client.next_progress('begin')
    assert value['title'] == 'Testing endless.fut:1' and value['cancellable'], value
    wait_for(lambda: is_running(client))
    # Others are answered, and run as soon as it has ended.
    assert client.query('hover', 'endless.fut', client.at('endless.fut', 'main'))
    waiting = client.begin('workspace/executeCommand', {**tested, 'workDoneToken': 'ours'})
    assert client.next_progress('begin')[0] == 'ours'
    cancelled = client.begin('workspace/executeCommand', {**tested, 'workDoneToken': 'mistaken'})
    client.tell('$/cancelRequest', {'id': cancelled})
    check_cancelled(client, cancelled)
    assert number not in client.answers and waiting not in client.answers
    client.tell('window/workDoneProgress/cancel', {'token': token})
    check_cancelled(client, number)
    assert client.answer(waiting)['succeeded']
    ended = [client.next_progress('end') for _ in range(3)]
    assert [item[0] for item in ended] == ['mistaken', token, 'ours'], ended
    assert ['not' in item[1]['message'] for item in ended] == [True, True, False], ended
    wait_for(lambda: not is_running(client))
    # Who leaves takes along what runs.
    client.begin('workspace/executeCommand', command)
    wait_for(lambda: is_running(client))


def check_errors(client):
    for method, params in (('textDocument/hover', {}), ('no/such', {}),
                           ('textDocument/hover', {'textDocument': {'uri': 'file:///nowhere'}})):
        try:
            client.ask(method, params)
            raise AssertionError(f'{method} was answered')
        except RequestFailed:
            pass


def check_nonsense(client):
    """What is no message of the protocol is answered or passed over; the server goes on."""
    client.process.stdin.write(b'Content-Length: 3\r\n\r\n{x}')
    for message in ([], {'id': 7, 'method': 8}, {'method': None}, {'id': 'a'},
                    {'id': 'b', 'method': 'textDocument/hover', 'params': None},
                    {'method': 'textDocument/didChange', 'params': {}}):
        body = json.dumps(message).encode()
        client.process.stdin.write(b'Content-Length: %d\r\n\r\n' % len(body) + body)
    client.process.stdin.flush()
    assert client.query('documentSymbol', 'main.fut')


def check_encoding(dagaz, folder, environment):
    # One character, four bytes of UTF-8, two units of UTF-16.
    text = 'def f = ("\U0001d538", unknown)\n'
    for encoding, column in (('utf-16', 15), ('utf-8', 17)):
        client = Client(dagaz, folder, [encoding], environment)
        assert client.server['capabilities']['positionEncoding'] == encoding
        client.open('wide.fut', text)
        [mistake] = client.diagnostics('wide.fut')
        assert mistake['range']['start']['character'] == column, mistake
        assert client.end() == 0


def processor_seconds(client):
    fields = pathlib.Path(f'/proc/{client.process.pid}/stat').read_text().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def check_speed(client):
    """Diagnostics of 2000 lines; what is asserted leaves room for a busy machine."""
    body = '\n'.join(f'def f{i} [n] (xs: [n]f64) (k: f64) =\n  let ys = map (* k) xs\n'
                     f'  let total = reduce (+) 0 ys\n  in map (+ total) ys\n' for i in range(400))
    client.open('long.fut', body)
    client.diagnostics('long.fut')
    times = []
    used = processor_seconds(client)
    for i in range(10):
        begin = time.monotonic()
        client.replace('long.fut', 0, 0, ' ' if i % 2 == 0 else '\n')
        assert client.diagnostics('long.fut') == []
        times.append(time.monotonic() - begin)
    times.sort()
    used = (processor_seconds(client) - used) / len(times)
    print(f'diagnostics of {body.count(chr(10))} lines: {1000 * times[0]:.0f} to '
          f'{1000 * times[-1]:.0f} ms after a change, {1000 * used:.0f} ms of the processor')
    assert times[5] < 1, times


def main(dagaz):
    dagaz = str(pathlib.Path(dagaz).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        environment = {**os.environ, 'XDG_CACHE_HOME': str(folder / '.cache')}
        (folder / 'lib.fut').write_text(LIBRARY)
        (folder / 'main.fut').write_text(PROGRAM)
        client = Client(dagaz, folder, environment=environment)
        client.open('main.fut', PROGRAM)
        client.open('lib.fut', LIBRARY)
        check_diagnostics(client)
        check_hover(client)
        check_navigation(client, folder)
        check_symbols(client)
        check_rename(client)
        check_completion(client)
        check_signature_help(client)
        check_tokens(client)
        check_layout(client)
        check_hints(client)
        check_derivative_hints(client)
        check_actions(client)
        check_lenses(client, folder)
        check_errors(client)
        check_nonsense(client)
        check_speed(client)
        check_runs(client, folder)
        assert client.end() == 0
        check_encoding(dagaz, folder, environment)
    print('the language server answers everything')


if __name__ == '__main__':
    main(*sys.argv[1:])
