"""A browser without a window, driven over a pipe by the DevTools protocol."""
import itertools
import json
import os
import shutil
import subprocess
import time

BROWSERS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']


def find_browser():
    """The path of a browser that speaks the protocol, or None."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


class Refused(Exception):
    """The browser cannot do what it is asked for."""


class Browser:
    """One page of a browser; `with` ends the browser."""

    def __init__(self, program, profile):
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()
        # The browser reads its descriptor 3 and writes its descriptor 4.
        # Its sandbox does not start for root.
        arguments = ' '.join(['--headless=new', '--remote-debugging-pipe', '--disable-gpu',
                              '--disable-dev-shm-usage', '--no-first-run',
                              '--no-sandbox' if os.geteuid() == 0 else '',
                              f'--user-data-dir="{profile}"', '--window-size=1200,900',
                              'about:blank'])
        self.process = subprocess.Popen(
            ['sh', '-c', f'exec "{program}" {arguments} 3<&{to_browser} 4>&{from_browser}'],
            pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.numbers, self.received = itertools.count(1), b''
        self.complaints = []  # what pages threw or logged as errors
        self.session = None
        target = self.ask('Target.createTarget', url='about:blank')['targetId']
        self.session = self.ask('Target.attachToTarget', targetId=target,
                                flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log'):
            self.ask(f'{domain}.enable')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.ask('Browser.close')
        except (EOFError, BrokenPipeError):
            self.process.kill()
        self.process.wait()

    def message(self):
        while b'\0' not in self.received:
            more = os.read(self.read_end, 1 << 16)
            if not more:
                raise EOFError('the browser ended')
            self.received += more
        text, self.received = self.received.split(b'\0', 1)
        return json.loads(text)

    def ask(self, method, **parameters):
        number = next(self.numbers)
        request = {'id': number, 'method': method, 'params': parameters}
        if self.session:
            request['sessionId'] = self.session
        os.write(self.write_end, json.dumps(request).encode() + b'\0')
        while True:
            answer = self.message()
            if answer.get('id') == number:
                if 'error' in answer:
                    raise Refused(f'{method}: {answer["error"]}')
                return answer['result']
            about = answer.get('params', {})
            if answer.get('method') == 'Runtime.exceptionThrown':
                self.complaints.append(about['exceptionDetails'])
            elif answer.get('method') == 'Log.entryAdded' and about['entry']['level'] == 'error':
                self.complaints.append(about['entry'])

    def value(self, expression):
        """What an expression of JavaScript is in the page."""
        answer = self.ask('Runtime.evaluate', expression=expression, returnByValue=True)
        assert 'exceptionDetails' not in answer, (expression, answer['exceptionDetails'])
        return answer['result'].get('value')

    def wait_for(self, expression, seconds=120):
        """The first value of the expression that is true.  What a page does, it does in its own time;
        the seconds are only how long a mistake takes."""
        end, failure = time.monotonic() + seconds, None
        while True:
            try:
                found = self.value(expression)
            except Refused as reason:  # the page is on its way to another
                found, failure = None, reason
            if found:
                return found
            assert time.monotonic() < end, f'{expression} stays {found!r}; {failure}'
            time.sleep(0.02)

    def open(self, address):
        self.ask('Page.navigate', url=address)
        self.wait_for(f'location.href === {json.dumps(address)} && '
                      'document.readyState === "complete"')

    def key(self, name, text=''):
        """Presses a key, as one who sits before it."""
        self.ask('Input.dispatchKeyEvent', type='keyDown', key=name, text=text)
        self.ask('Input.dispatchKeyEvent', type='keyUp', key=name)

    def type(self, text):
        for character in text:
            self.key(character, character)

    def point_of(self, selector):
        """The middle of the first line of what the selector names, as soon as a click there meets it:
        until a page is complete, it may still be scrolled to its fragment."""
        return self.wait_for(
            f'(() => {{ const e = document.querySelector({json.dumps(selector)});'
            ' if (!e || document.readyState !== "complete") return null;'
            ' e.scrollIntoView({block: "center"}); const r = e.getClientRects()[0];'
            ' const at = [r.x + r.width / 2, r.y + r.height / 2];'
            ' return e.contains(document.elementFromPoint(...at)) ? at : null; })()')

    def click(self, selector):
        """Clicks what the selector names, where it has come to rest."""
        before, point = None, self.point_of(selector)
        while point != before:
            before, point = point, self.point_of(selector)
        x, y = point
        for kind in ('mousePressed', 'mouseReleased'):
            self.ask('Input.dispatchMouseEvent', type=kind, x=x, y=y, button='left', clickCount=1)

    def prefer(self, scheme):
        """What the reader's system prefers: `dark` or `light`."""
        self.ask('Emulation.setEmulatedMedia',
                 features=[{'name': 'prefers-color-scheme', 'value': scheme}])
        self.wait_for(f'matchMedia("(prefers-color-scheme: {scheme})").matches')
