#!/usr/bin/env python3
"""`dagaz literate`: pages say what programs compute, and the files that they show are there.

usage: run.py DAGAZ EXAMPLES [--update]

The pages beside EXAMPLES/*.fut are made again and compared; places in plots may differ by a little.
With --update they are rewritten.
"""
import hashlib
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import wave
import zlib

HAS_FFMPEG = shutil.which('ffmpeg') is not None

PROGRAM = '''-- # Title
--
-- Some text.

def square (x: i32) = x * x

-- > square 3

-- > :covert square 4

-- > :brief :img grid;
-- file: named.png

def grid : [2][3]u32 = [[0xff0000, 0x00ff00, 0x0000ff], [0xffffff, 0, 0x808080]]

-- > :img $loadimg "PAGE-img/named.png"

-- > $loadimg "PAGE-img/named.png"

-- > :plot2d {up=([0, 1, 2], [0f64, 1, 4]), down=([0, 1, 2], [4f64, f64.nan, 0])}

def tone : [2][100]f32 = tabulate_2d 2 100 (\\c i -> if c == 0 then f32.sin (f32.i64 i) else 0)

-- > :audio tone;
-- sampling_frequency: 8000

-- ==
-- input { 2 } output { 4 }

entry test = square

-- > square 1.5

-- > square
'''
WANTED = '''# Title

Some text.

```futhark
def square (x: i32) = x * x
```

```
> square 3
```

```
9i32
```



```
16i32
```


```
> :img grid
```

![](PAGE-img/named.png)

```futhark
def grid : [2][3]u32 = [[0xff0000, 0x00ff00, 0x0000ff], [0xffffff, 0, 0x808080]]
```

```
> :img $loadimg "PAGE-img/named.png"
```

![](PAGE-img/H-img.png)


```
> $loadimg "PAGE-img/named.png"
```

```
[[4294901760u32, 4278255360u32, 4278190335u32],
[4294967295u32, 4278190080u32, 4286611584u32]]
```


```
> :plot2d {up=([0, 1, 2], [0f64, 1, 4]), down=([0, 1, 2], [4f64, f64.nan, 0])}
```

![](PAGE-img/H-plot.svg)

```futhark
def tone : [2][100]f32 = tabulate_2d 2 100 (\\c i -> if c == 0 then f32.sin (f32.i64 i) else 0)
```

```
> :audio tone;
sampling_frequency: 8000
```

![](PAGE-img/H-output.wav)


```futhark
-- ==
-- input { 2 } output { 4 }
```

```futhark
entry test = square
```

```
> square 1.5
```

**FAILED**
```
Function "square" expects 1 argument(s) of types:
i32
But applied to 1 argument(s) of types:
f64
```


```
> square
```

**FAILED**
```
Function square not fully applied.
```
'''


def run(dagaz, *arguments):
    return subprocess.run([dagaz, 'literate', '-w', *map(str, arguments)], capture_output=True,
                          text=True, timeout=300)


def hidden(text):
    return re.sub(r'[0-9a-f]{32}', 'H', text)


def rows_of(png):
    """The bytes of a PNG file without filters, row by row."""
    data, at = b'', 8
    while at < len(png):
        size, kind = struct.unpack('>I4s', png[at:at + 8])
        if kind == b'IHDR':
            width, height = struct.unpack('>II', png[at + 8:at + 16])
        if kind == b'IDAT':
            data += png[at + 8:at + 8 + size]
        at += 12 + size
    return width, height, zlib.decompress(data)


def check_page(dagaz, folder):
    program = folder / 'PAGE.fut'
    program.write_text(PROGRAM)
    done = run(dagaz, '--html', program)
    page = folder / 'PAGE.md'
    assert done.returncode == 1 and 'PAGE.fut:32: `> square 1.5` failed' in done.stderr, done
    assert hidden(page.read_text()) == WANTED, hidden(page.read_text())
    width, height, _ = rows_of((folder / 'PAGE-img/named.png').read_bytes())
    assert (width, height) == (3, 2)
    svg = next((folder / 'PAGE-img').glob('*.svg')).read_text()
    assert svg.count('<path') == 2 and '>up<' in svg and '>down<' in svg, svg
    sound = next((folder / 'PAGE-img').glob('*.wav')).read_bytes()
    assert struct.unpack('<HHI', sound[20:28]) == (3, 2, 8000) and len(sound) == 44 + 800, sound
    html = (folder / 'PAGE.html').read_text()
    assert '<audio controls' in html and '<h1>Title</h1>' in html, html


# Names of files are made of the program's syntax tree, as the peer prints it.
NAMED = """type pair = (i64, f32)
-- Nothing of this counts.
def f [n] (xs: [n]f32) (k: i64) : pair =
  let ys = map (\\x -> x * 2 + 16f32) xs
  let z = ys[0] - 1.5 * f32.i64 k
  in (if k > 3 && k != 5 then k else n,
      z)

entry grey : [2][2]u8 = [[0, 1], [2, 255]]

-- > :img grey
"""
TREE = ('[type pair = (i64, f32)  def f [n] (xs: [n]f32) (k: i64) : pair =   '
        'let ys =   map (\\x ->   x * 2 + 16.0f32) xs let z =   ys[0] - (1.5 * f32.i64 k) '
        'in (if k > 3 && k != 5 then k else n, z)  '
        'entry grey : [2][2]u8 =   [[0, 1], [2, 255]]]')


def check_names(dagaz, folder):
    def digest(text):
        return hashlib.md5(text.encode()).hexdigest()

    wanted = digest(digest(TREE) + '\n> :img grey') + '-img.png'
    for name, text in [('n1', NAMED), ('n2', NAMED.replace('  let', '    let').replace(' z)', 'z )'))]:
        (folder / f'{name}.fut').write_text(text)
        run(dagaz, folder / f'{name}.fut')
        made = [path.name for path in (folder / f'{name}-img').iterdir()]
        assert made == [wanted], (made, wanted)


def check_sound(dagaz, folder):
    (folder / 'sound.fut').write_text(
        'def tone : [2][4]i16 = [[1, 2, 3, 4], [-1, -2, -3, -4]]\n\n-- > :audio tone\n\n'
        '-- > $loadaudio "two.wav"\n')
    with wave.open(str(folder / 'two.wav'), 'wb') as sound:
        sound.setparams((2, 2, 8000, 0, 'NONE', ''))
        sound.writeframes(struct.pack('<4h', 16384, -16384, 0, 8192))
    done = run(dagaz, folder / 'sound.fut')
    assert done.returncode == 0, done
    with wave.open(str(next((folder / 'sound-img').glob('*.wav')))) as sound:
        assert sound.getparams()[:4] == (2, 2, 44100, 4), sound.getparams()
        assert struct.unpack('<8h', sound.readframes(4)) == (1, -1, 2, -2, 3, -3, 4, -4)
    page = (folder / 'sound.md').read_text()
    assert '[[0.5f64, 0.0f64],\n[-0.5f64, 0.25f64]]' in page, page


def check_video(dagaz, folder):
    (folder / 'film.fut').write_text(
        'def step (i: i64): ([][]u32, i64) = (replicate 16 (replicate 16 (u32.i64 i)), i + 1)\n\n'
        '-- > :video (step, 0i64, 5i64);\n-- fps: 2\n-- format: gif\n')
    done = run(dagaz, folder / 'film.fut')
    page = (folder / 'film.md').read_text()
    if HAS_FFMPEG:
        assert done.returncode == 0, done
        assert next((folder / 'film-img').glob('*.gif')).read_bytes().startswith(b'GIF8')
    else:
        assert '`:video` needs `ffmpeg`, which is not installed' in page, page


def check_mistakes(dagaz, folder):
    for directive, message in [(':nothing 1', 'there is no directive `:nothing`'),
                               (':img 1;\n-- file: a/b', 'is a name without folder'),
                               (':img 1;\n-- size: 3', '`:img` has no parameter `size`'),
                               ('(1, ', 'expected an expression'),
                               (':gnuplot {a=([1], [2])}', '`:gnuplot` needs a script')]:
        (folder / 'wrong.fut').write_text(f'-- Text\n\n-- > {directive}\n')
        done = run(dagaz, folder / 'wrong.fut')
        assert done.returncode == 1 and message in done.stderr, (directive, done)
        assert 'wrong.fut:3: ' in done.stderr, done
    (folder / 'wrong.fut').write_text('-- > 1 + 1\n')
    assert run(dagaz, folder / 'wrong.fut').returncode == 1
    (folder / 'wrong.fut').write_text('def x = 1 + true\n')
    assert run(dagaz, folder / 'wrong.fut').returncode == 1
    assert run(dagaz, folder / 'nowhere.fut').returncode == 1


def numbers(text):
    return [float(x) for x in re.findall(r'-?\d+\.\d', text)]


def same_plot(got, wanted):
    a, b = numbers(got), numbers(wanted)
    return len(a) == len(b) and all(abs(x - y) < 1 for x, y in zip(a, b))


def check_examples(dagaz, examples, folder, update):
    names = 0
    for program in sorted(examples.glob('*.fut')):
        page = program.with_suffix('.md')
        made = page if update else folder / page.name
        shutil.copy(program, folder)
        done = run(dagaz, program if update else folder / program.name)
        assert done.returncode == 0, done
        if update:
            continue
        assert made.read_text() == page.read_text(), f'{page} is old; run.py --update'
        for name in re.findall(r'!\[\]\(([^)]*)\)', page.read_text()):
            got, wanted = (folder / name).read_bytes(), (examples / name).read_bytes()
            if name.endswith('.svg'):
                assert same_plot(got.decode(), wanted.decode()), name
            elif name.endswith('.png'):
                assert rows_of(got)[:2] == rows_of(wanted)[:2], name
            names += 1
    return names


def main(dagaz, examples, *options):
    dagaz = str(pathlib.Path(dagaz).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        names = check_examples(dagaz, pathlib.Path(examples), folder, '--update' in options)
        check_page(dagaz, folder)
        check_names(dagaz, folder)
        check_sound(dagaz, folder)
        check_video(dagaz, folder)
        check_mistakes(dagaz, folder)
    print(f'pages are right, and {names} files of examples')


if __name__ == '__main__':
    main(*sys.argv[1:])
