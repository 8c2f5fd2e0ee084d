"""Debian's chromium without a window, driven through the DevTools protocol over two pipes (--remote-debugging-pipe): nothing
but Python's own library, and no port.  A page that is opened here notes what it asks for and what it says on the console.
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def program():
    """The browser, or None if this machine has none."""
    for name in (os.environ.get('BROWSER_PROGRAM'), 'chromium', 'chromium-headless-shell'):
        if name and shutil.which(name):
            return shutil.which(name)
    return None


class Failed(Exception):
    pass


KEYS = {'Enter': (13, '\r'), 'Tab': (9, ''), 'Escape': (27, ''), 'Space': (32, ' '), 'ArrowLeft': (37, ''), 'ArrowUp': (38, ''),
        'ArrowRight': (39, ''), 'ArrowDown': (40, ''), 'Home': (36, ''), 'End': (35, ''), 'PageUp': (33, ''),
        'PageDown': (34, '')}
BUTTONS = {'none': 0, 'left': 1}


class Browser:
    """One process; its own profile and home, removed with it."""

    def __init__(self):
        self.home = tempfile.mkdtemp(prefix='batconv-browser.')
        self.number, self.pending = 0, b''
        self.pages = {}
        # The browser reads fd 3 and writes fd 4.  Both are taken here first, so that no pipe below lies there and is overwritten.
        held = [os.open(os.devnull, os.O_RDONLY) for _ in range(5)]
        child_in, self.out = os.pipe()
        self.come, child_out = os.pipe()

        def wire():
            os.dup2(child_in, 3)
            os.dup2(child_out, 4)

        command = [program(), '--headless', '--remote-debugging-pipe', '--user-data-dir=' + self.home, '--no-first-run',
                   '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-gpu',
                   '--disable-dev-shm-usage', '--hide-scrollbars', '--force-color-profile=srgb']
        if os.getuid() == 0:
            command.append('--no-sandbox')  # chromium refuses to start otherwise
        self.process = subprocess.Popen(command, preexec_fn=wire, pass_fds=(3, 4), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        env={**os.environ, 'HOME': self.home, 'TZ': 'UTC', 'LC_ALL': 'C.UTF-8'})
        for fd in [*held, child_in, child_out]:
            os.close(fd)

    def close(self):
        try:
            self.call('Browser.close', {})
            self.process.wait(20)
        except (Failed, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.come)
        shutil.rmtree(self.home, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _message(self, until):
        while b'\0' not in self.pending:
            ready, _, _ = select.select([self.come], [], [], max(0, until - time.monotonic()))
            block = os.read(self.come, 1 << 20) if ready else b''
            if not block:
                raise Failed('the browser does not answer' if not ready else 'the browser ended')
            self.pending += block
        message, self.pending = self.pending.split(b'\0', 1)
        return json.loads(message)

    def pump(self, until, done=lambda: False):
        """Takes events until something is done, or fails when it is not by then."""
        while not done():
            message = self._message(until)
            if 'method' in message and message.get('sessionId') in self.pages:
                self.pages[message['sessionId']].event(message['method'], message['params'])

    def call(self, method, params, session=None, seconds=60):
        self.number += 1
        number = self.number
        request = {'id': number, 'method': method, 'params': params}
        if session:
            request['sessionId'] = session
        os.write(self.out, json.dumps(request).encode() + b'\0')
        until = time.monotonic() + seconds
        while True:
            message = self._message(until)
            if message.get('id') == number:
                if 'error' in message:
                    raise Failed('%s: %s' % (method, message['error']['message']))
                return message['result']
            if 'method' in message and message.get('sessionId') in self.pages:
                self.pages[message['sessionId']].event(message['method'], message['params'])

    def page(self, **how):
        return Page(self, **how)


class Page:
    """One tab.  asked: the addresses of all requests; said: what the console and the page's errors say; dialogs."""

    def __init__(self, browser, width=1280, height=900, dark=False, media=''):
        self.browser = browser
        self.asked, self.said, self.dialogs = [], [], []
        self.loaded = False
        target = browser.call('Target.createTarget', {'url': 'about:blank'})['targetId']
        self.target = target
        self.session = browser.call('Target.attachToTarget', {'targetId': target, 'flatten': True})['sessionId']
        browser.pages[self.session] = self
        for domain in ('Page', 'Runtime', 'Network', 'Log', 'Security'):
            self.call(domain + '.enable', {})
        self.size(width, height)
        self.look(dark, media)

    def close(self):
        self.browser.call('Target.closeTarget', {'targetId': self.target})
        self.browser.pages.pop(self.session, None)

    def call(self, method, params, seconds=60):
        return self.browser.call(method, params, self.session, seconds)

    def event(self, method, params):
        if method == 'Page.loadEventFired':
            self.loaded = True
        elif method == 'Network.requestWillBeSent':
            self.asked.append(params['request']['url'])
        elif method == 'Runtime.consoleAPICalled':
            self.said.append('%s: %s' % (params['type'], ' '.join(str(a.get('value', a.get('description'))) for a in params['args'])))
        elif method == 'Runtime.exceptionThrown':
            details = params['exceptionDetails']
            self.said.append('exception: ' + details.get('exception', {}).get('description', details['text']))
        elif method == 'Log.entryAdded':
            self.said.append('%s: %s' % (params['entry']['level'], params['entry']['text']))
        elif method == 'Page.javascriptDialogOpening':
            self.dialogs.append(params['message'])

    def size(self, width, height):
        self.call('Emulation.setDeviceMetricsOverride',
                  {'width': width, 'height': height, 'deviceScaleFactor': 1, 'mobile': False})

    def look(self, dark=False, media=''):
        self.call('Emulation.setEmulatedMedia',
                  {'media': media, 'features': [{'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'},
                                                {'name': 'prefers-reduced-motion', 'value': 'reduce'}]})

    def open(self, url, seconds=60):
        """Opens a page and returns how many seconds it took until it was loaded and drawn."""
        self.loaded = False
        begun = time.monotonic()
        self.call('Page.navigate', {'url': url})
        self.browser.pump(begun + seconds, lambda: self.loaded)
        self.settle()
        return time.monotonic() - begun

    def settle(self):
        """Two frames later: what was asked for is drawn, and what observers of sizes do is done."""
        self.eval('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30))))')

    def eval(self, expression):
        got = self.call('Runtime.evaluate', {'expression': expression, 'returnByValue': True, 'awaitPromise': True})
        if 'exceptionDetails' in got:
            details = got['exceptionDetails']
            raise Failed('%s: %s' % (expression[:100], details.get('exception', {}).get('description', details['text'])))
        return got['result'].get('value')

    def text(self, selector):
        return self.eval('(e => e && e.textContent.trim())(document.querySelector(%s))' % json.dumps(selector))

    def texts(self, selector):
        return self.eval('[...document.querySelectorAll(%s)].map(e => e.textContent.trim())' % json.dumps(selector))

    def box(self, selector):
        """Left, top, width and height of an element that is scrolled into view."""
        got = self.eval('''(e => { if (!e) return null; e.scrollIntoView({block: 'center', behavior: 'instant'});
            const b = e.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })(document.querySelector(%s))'''
                        % json.dumps(selector))
        if not got:
            raise Failed('no %s' % selector)
        return got

    def mouse(self, kind, x, y, button='none', **more):
        self.call('Input.dispatchMouseEvent', {'type': kind, 'x': x, 'y': y, 'button': button, 'buttons': BUTTONS[button], **more})

    def hover(self, selector, across=0.5, down=0.5):
        x, y, width, height = self.box(selector)
        self.mouse('mouseMoved', x + width * across, y + height * down)
        self.settle()

    def click(self, selector, across=0.5, down=0.5, count=1):
        x, y, width, height = self.box(selector)
        x, y = x + width * across, y + height * down
        self.mouse('mouseMoved', x, y)
        for turn in range(count):
            self.mouse('mousePressed', x, y, 'left', clickCount=turn + 1)
            self.mouse('mouseReleased', x, y, 'left', clickCount=turn + 1)
        self.settle()

    def drag(self, selector, begin, end, down=0.5):
        """Over an element, from one share of its width to another."""
        x, y, width, height = self.box(selector)
        y += height * down
        self.mouse('mousePressed', x + width * begin, y, 'left', clickCount=1)
        for step in range(1, 9):
            self.mouse('mouseMoved', x + width * (begin + (end - begin) * step / 8), y, 'left')
        self.mouse('mouseReleased', x + width * end, y, 'left', clickCount=1)
        self.settle()

    def wheel(self, selector, by, across=0.5, down=0.5, ctrl=False):
        x, y, width, height = self.box(selector)
        self.mouse('mouseWheel', x + width * across, y + height * down, deltaX=0, deltaY=by, modifiers=2 if ctrl else 0)
        self.settle()

    def key(self, name, shift=False, ctrl=False):
        modifiers = (8 if shift else 0) | (2 if ctrl else 0)
        code, text = KEYS.get(name, (ord(name.upper()), name) if len(name) == 1 else (0, ''))
        what = {'key': ' ' if name == 'Space' else name, 'code': name, 'windowsVirtualKeyCode': code, 'modifiers': modifiers}
        self.call('Input.dispatchKeyEvent', {'type': 'keyDown', **what, **({'text': text} if text else {})})
        self.call('Input.dispatchKeyEvent', {'type': 'keyUp', **what})
        self.settle()

    def type(self, text):
        self.call('Input.insertText', {'text': text})
        self.settle()

    def picture(self, path, selector=None, whole=False):
        """For what is visible, for one element, or for the whole page."""
        how = {'format': 'png'}
        if selector or whole:
            box = self.eval('''(e => { const b = e.getBoundingClientRect();
                return {x: b.x + scrollX, y: b.y + scrollY, width: b.width, height: b.height, scale: 1}; })(%s)'''
                            % ('document.querySelector(%s)' % json.dumps(selector) if selector else 'document.documentElement'))
            how.update(clip=box, captureBeyondViewport=True)
        with open(path, 'wb') as file:
            file.write(base64.b64decode(self.call('Page.captureScreenshot', how)['data']))

    def pdf(self, path):
        with open(path, 'wb') as file:
            file.write(base64.b64decode(self.call('Page.printToPDF', {'printBackground': True, 'preferCSSPageSize': True})['data']))
