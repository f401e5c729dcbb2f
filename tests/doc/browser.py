#!/usr/bin/env python3
"""What a reader sees of generated documentation: a browser searches, follows links, turns dark.

usage: browser.py DAGAZ
Ends with 77, which ctest shows as skipped, where no Chromium or Chrome is installed.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from devtools import Browser, find_browser

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = '''-- | Shapes & their areas.

-- | The area of a circle, from its radius.
def area (r: f64) = f64.pi * r * r

-- | The area of a ring, by `area`.
entry ring (inner: f64) (outer: f64) = area outer - area inner
'''


def found(browser):
    """The names that the search offers."""
    return browser.value('[...document.querySelectorAll("#found span")].map(e => '
                         'e.textContent.trim())')


def search(browser, text):
    """Types into the field of the search, which the key / leads to; what is found of all of it."""
    browser.key('/', '/')
    browser.wait_for('document.activeElement.id === "search"')
    browser.value('document.getElementById("search").select()')
    browser.type(text)
    browser.wait_for(f'document.getElementById("search").value === {json.dumps(text)} && '
                     'document.querySelectorAll("#found a").length > 0')
    return found(browser)


def wait_until_nothing_is_found(browser):
    browser.wait_for('document.querySelectorAll("#found a").length === 0')


def shown(browser, selector):
    """The text of an element, as soon as its top is inside the window and below the bar there."""
    return browser.wait_for(
        f'(() => {{ const e = document.querySelector({selector!r}); if (!e) return null;'
        ' const top = e.getBoundingClientRect().top;'
        ' const bar = document.querySelector("header").getBoundingClientRect().bottom;'
        ' return top >= bar - 1 && top < innerHeight && e.innerText; })()')


def luminance(colour):
    """The relative luminance of WCAG of what CSS calls rgb(r, g, b)."""
    def linear(part):
        part /= 255
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
    red, green, blue = (linear(int(part)) for part in re.findall(r'\d+', colour)[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def check_colours(browser):
    """Text and links are readable in both schemes; the scheme is the reader's."""
    backs = {}
    for scheme in ('light', 'dark'):
        browser.prefer(scheme)
        back = browser.value('getComputedStyle(document.body).backgroundColor')
        backs[scheme] = luminance(back)
        for selector in ('body', 'main a', 'pre.head .k', 'pre.head .t'):
            colour = browser.value(f'getComputedStyle(document.querySelector({selector!r})).color')
            light, dark = sorted((luminance(colour), backs[scheme]), reverse=True)
            contrast = (light + 0.05) / (dark + 0.05)
            assert contrast >= 4.5, f'{selector} in {scheme}: {colour} on {back}, {contrast:.1f}'
    assert backs['light'] > 0.8 and backs['dark'] < 0.05, backs
    browser.prefer('light')


def check_program(browser, folder):
    """A small program: a search from its first page to a function, then to its source."""
    browser.open((folder / 'index.html').as_uri())
    assert browser.value('document.title') == 'Shapes'
    names = search(browser, 'rin')
    assert names[0] == 'ring', names
    browser.key('Enter')
    browser.wait_for('location.pathname.endsWith("/main.html") && location.hash === "#ring"')
    assert 'The area of a ring' in shown(browser, '#ring')
    wait_until_nothing_is_found(browser)
    # A reference in the text, then the source of what it names.
    browser.click('#ring .text a')
    browser.wait_for('location.hash === "#area"')
    assert 'def area (r: f64) : f64' in shown(browser, '#area')
    check_colours(browser)
    browser.click('#area a.source')
    browser.wait_for('location.pathname.endsWith("/source/main.html")')
    line = browser.wait_for('document.querySelector(":target")?.innerText')
    assert 'def area (r: f64)' in line, line


def check_search(browser, folder):
    """Keys choose among what the library has; words of summaries are found as well."""
    browser.open((folder / 'index.html').as_uri())
    names = search(browser, 'reduce')
    assert names[0] == 'reduce' and 'reduce_by_index' in names, names
    browser.key('ArrowDown')
    browser.wait_for('document.querySelector("#found a.chosen span")?.innerText.trim() === '
                     + json.dumps(names[1]))
    browser.key('Escape')
    wait_until_nothing_is_found(browser)
    assert '>->' in search(browser, 'from left to right'), found(browser)
    browser.click('#found a')
    browser.wait_for('document.querySelector(":target") !== null')
    wait_until_nothing_is_found(browser)


def check_documents(browser, folder):
    """The project's own site: a section by the search, and the way to the next page by a link."""
    browser.open((folder / 'docs/tutorial.html').as_uri())
    title = browser.value('document.querySelector("h1").innerText')
    assert search(browser, 'Broadcasting')[0] == 'Broadcasting'
    browser.key('Enter')
    browser.wait_for('location.pathname.endsWith("/docs/language.html")')
    assert shown(browser, ':target').startswith('Broadcasting')
    browser.click('header .home')
    browser.wait_for('location.pathname.endsWith("/index.html") && document.readyState === '
                     '"complete"')
    browser.click('main a[href$="tutorial.html"]')
    browser.wait_for('location.pathname.endsWith("/tutorial.html")')
    assert browser.wait_for('document.querySelector("h1")?.innerText') == title
    # On a narrow window nothing is wider than it.
    browser.ask('Emulation.setDeviceMetricsOverride', width=400, height=800, deviceScaleFactor=1,
                mobile=False)
    browser.wait_for('innerWidth === 400')
    width = browser.value('document.documentElement.scrollWidth')
    assert width <= 400, f'the page is {width} points wide in a window of 400'


def main(dagaz):
    program = find_browser()
    if program is None:
        print('[SKIP] browser: apt install chromium')
        sys.exit(77)
    dagaz = str(pathlib.Path(dagaz).resolve())
    # Browsers do not always tidy up behind themselves in time.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name).resolve()
        (folder / 'main.fut').write_text(PROGRAM)
        subprocess.run([dagaz, 'doc', 'main.fut', '--title', 'Shapes', '-o', 'program'], cwd=folder,
                       check=True)
        subprocess.run([ROOT / 'docs/build-site', dagaz, folder / 'own'], check=True)
        with Browser(program, folder / 'profile') as browser:
            check_program(browser, folder / 'program')
            check_search(browser, folder / 'own')
            check_documents(browser, folder / 'own')
            assert browser.complaints == [], browser.complaints
    print('a browser searches, follows links, and shows dark and light')


if __name__ == '__main__':
    main(*sys.argv[1:])
