#!/usr/bin/env python3
"""`dagaz doc`: every link of a site leads somewhere, and pages say what programs say.

usage: run.py DAGAZ
"""
import html.parser
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHAPES = '''-- | Shapes & their areas.

-- | A shape, see `area`@term.
type shape = #circle f64 | #square f64

-- | The area of a `shape`.  **Never** negative; `a < b` compares.
--
-- * uses `f64.sqrt`
def area (s: shape) =
  match s
  case #circle r -> f64.pi * r * r
  case #square a -> a * a

-- | What can be measured.
module type measurable = {
  -- | What is measured.
  type t
  -- | The size of a `t`@type.
  val measure : t -> f64
}

module shapes: measurable with t = shape = {
  type t = shape
  -- | By `area`.
  def measure = area
  def (+.) (x: f64) (y: f64) = x + y
}

-- | Puts `v` first.
def put [n] (xs: *[n]f64) (v: f64): *[n]f64 = xs with [0] = v

local def hidden = 1i32
'''
MAIN = '''import "lib/shapes"

-- | Uses [area](area) of another file.
entry main (r: f64) = area (#circle r)
'''


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.text = set(), [], ''
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if 'id' in values:
            assert values['id'] not in self.ids, values['id']
            self.ids.add(values['id'])
        for name in ('href', 'src'):
            if name in values:
                self.links.append(values[name])

    def handle_data(self, data):
        self.text += data


def run(dagaz, folder, *arguments):
    return subprocess.run([dagaz, 'doc', *arguments], cwd=folder, capture_output=True, text=True,
                          timeout=120)


def read_site(folder):
    return {path.relative_to(folder).as_posix(): Page(path.read_text())
            for path in folder.rglob('*.html')}


def check_links(folder, pages):
    count = 0
    for name, page in pages.items():
        for link in page.links:
            if re.match(r'[a-z]+:', link):
                continue
            address, _, anchor = link.partition('#')
            target = (folder / name).parent / urllib.parse.unquote(address)
            target = target.resolve() if address else folder / name
            assert target.is_file(), f'{name}: {link}'
            if anchor:
                other = pages[target.relative_to(folder).as_posix()]
                assert urllib.parse.unquote(anchor) in other.ids, f'{name}: {link}'
            count += 1
    text = (folder / 'entries.js').read_text()
    entries = json.loads(text[text.index('['):text.rindex(']') + 1])
    for entry, _, address, _ in entries:
        path, anchor = address.split('#')
        page = pages[urllib.parse.unquote(path)]
        assert urllib.parse.unquote(anchor) in page.ids, (entry, address)
    return count, entries


def check_programs(dagaz, folder):
    (folder / 'lib').mkdir()
    (folder / 'lib/shapes.fut').write_text(SHAPES)
    (folder / 'main.fut').write_text(MAIN)
    done = run(dagaz, folder, 'main.fut', '--Werror', '-o', 'site', '--title', 'Shapes <3')
    assert done.returncode == 0, done.stderr
    site = folder / 'site'
    pages = read_site(site)
    assert set(pages) == {'index.html', 'main.html', 'lib/shapes.html', 'source/main.html',
                          'source/lib/shapes.html'}, set(pages)
    count, entries = check_links(site, pages)
    names = {entry[0]: entry[1:] for entry in entries}
    assert names['area'] == ['function', 'lib/shapes.html#area', 'The area of a shape.'], names
    assert names['shapes.+.'][0] == 'function' and 'hidden' not in names, names
    text = pages['lib/shapes.html'].text
    for wanted in ('Shapes & their areas.', 'def area (s: shape) : f64', 'Consumes xs.',
                   'a < b compares', 'type shape = #circle f64 | #square f64'):
        assert wanted in text, (wanted, text)
    html_text = (site / 'lib/shapes.html').read_text()
    assert '<strong>Never</strong>' in html_text and '<a href="#area"><code>area' in html_text
    assert '../source/lib/shapes.html#L' in html_text
    assert 'lib/shapes.html#area">area</a>' in (site / 'main.html').read_text()
    assert 'Shapes &lt;3' in (site / 'index.html').read_text()
    assert run(dagaz, folder, 'main.fut', '-o', 'again', '--title', 'Shapes <3').returncode == 0
    for path in site.rglob('*'):
        if path.is_file():
            assert (folder / 'again' / path.relative_to(site)).read_bytes() == path.read_bytes()
    print(f'programs: {len(pages)} pages, {count} links')


def check_mistakes(dagaz, folder):
    (folder / 'broken.fut').write_text('-- | See `nothing`@term and [that](nowhere).\n\n'
                                       '-- | `nowhere` is only code.\ndef f = 1i32\n')
    done = run(dagaz, folder, 'broken.fut', '-o', 'b')
    assert done.returncode == 0 and done.stderr.count('leads nowhere') == 2, done.stderr
    assert 'broken.fut:1:1: warning' in done.stderr, done.stderr
    done = run(dagaz, folder, 'broken.fut', '-o', 'b', '--Werror')
    assert done.returncode == 1 and 'error: the reference' in done.stderr, done.stderr
    (folder / 'wrong.fut').write_text('def f = unknown\n')
    done = run(dagaz, folder, 'wrong.fut', '-o', 'w')
    assert done.returncode == 1 and 'unknown-name' in done.stderr, done.stderr
    assert not (folder / 'w').exists()
    assert run(dagaz, folder, 'missing.fut').returncode == 1
    assert run(dagaz, folder).returncode == 2


README = """# A *library* & more

See [the guide](guide/use.md#how-to), ![picture](guide/picture.svg) and [area](#no-such).

| name | what |
|---|---|
| `a \\| b` | [use](guide/use.md) |

<script>alert(1)</script>
"""
USE = """# Use

## How to

```
| no | table |
|---|---|
```

## How to

Back [home](../README.md), or [elsewhere](missing.md).
"""


def check_guides(dagaz, folder):
    project = folder / 'guides'
    (project / 'guide').mkdir(parents=True)
    (project / 'README.md').write_text(README)
    (project / 'guide/use.md').write_text(USE)
    (project / 'guide/picture.svg').write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    arguments = ['README.md', 'guide/use.md', '-o', 'site']
    done = run(dagaz, project, *arguments)
    assert done.returncode == 0 and done.stderr.count('leads nowhere') == 2, done.stderr
    assert 'README.md#no-such' in done.stderr and 'guide/missing.md' in done.stderr, done.stderr
    assert run(dagaz, project, *arguments, '--Werror').returncode == 1
    (project / 'README.md').write_text(README.replace('#no-such', '#a-library--more'))
    (project / 'guide/use.md').write_text(USE.replace('(missing.md)', '(#how-to-1)'))
    done = run(dagaz, project, *arguments, '--Werror')
    assert done.returncode == 0, done.stderr
    site = project / 'site'
    pages = read_site(site)
    assert set(pages) == {'index.html', 'guide/use.html'}, set(pages)
    count, entries = check_links(site, pages)
    assert [entry[:2] for entry in entries] == [
        ['A library & more', 'page'], ['Use', 'page'], ['How to', 'Use'], ['How to', 'Use']], entries
    assert pages['guide/use.html'].ids >= {'use', 'how-to', 'how-to-1'}
    first = (site / 'index.html').read_text()
    assert '<td><code>a | b</code></td><td><a href="guide/use.html">use</a></td>' in first, first
    assert 'alert(1)</script>' not in first and '<h1 id="a-library--more">' in first, first
    assert '| no | table |' in pages['guide/use.html'].text
    print(f'guides: {len(pages)} pages, {count} links')


def check_our_own(dagaz, folder):
    subprocess.run([ROOT / 'docs/build-site', dagaz, folder / 'own'], check=True, timeout=120)
    pages = read_site(folder / 'own')
    count, entries = check_links(folder / 'own', pages)
    assert ['Broadcasting', 'The language'] in [entry[:2] for entry in entries]
    print(f'documents: {len(pages)} pages, {count} links, {len(entries)} names')


def check_library(dagaz, folder):
    done = run(dagaz, folder, '--library', '--Werror', '-o', 'library')
    assert done.returncode == 0, done.stderr
    pages = read_site(folder / 'library')
    count, entries = check_links(folder / 'library', pages)
    names = {entry[0] for entry in entries}
    assert {'map', 'reduce', 'f64', 'real.sqrt'} <= names, sorted(names)[:100]
    print(f'library: {len(pages)} pages, {count} links, {len(entries)} names')


def main(dagaz):
    dagaz = str(pathlib.Path(dagaz).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        check_programs(dagaz, folder)
        check_mistakes(dagaz, folder)
        check_library(dagaz, folder)
        check_guides(dagaz, folder)
        check_our_own(dagaz, folder)


if __name__ == '__main__':
    main(*sys.argv[1:])
