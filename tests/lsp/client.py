"""A client of the language server: opens and edits documents, asks, and waits for diagnostics."""
import json
import pathlib
import subprocess
import threading
import queue


class RequestFailed(Exception):
    """The server answered with an error."""


class Client:
    def __init__(self, dagaz, folder, encodings=('utf-16',), environment=None):
        self.process = subprocess.Popen([dagaz, 'lsp'], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, env=environment)
        self.next_id = 0
        self.texts = {}
        self.versions = {}
        self.folder = pathlib.Path(folder)
        self.messages = queue.Queue()
        self.published = []  # what no one has asked for yet
        self.progress = []  # likewise: (token, value)
        self.answers = {}  # to requests whose answers no one has waited for
        threading.Thread(target=self.receive, daemon=True).start()
        capabilities = {
            'general': {'positionEncodings': list(encodings)},
            'textDocument': {'completion': {'completionItem': {'snippetSupport': True}}},
            'window': {'workDoneProgress': True}}
        self.server = self.ask('initialize', {
            'processId': None, 'rootUri': self.folder.as_uri(), 'capabilities': capabilities})
        self.tell('initialized', {})

    def receive(self):
        stream = self.process.stdout
        while True:
            length = None
            while True:
                line = stream.readline()
                if not line:
                    self.messages.put(None)
                    return
                if line == b'\r\n':
                    break
                name, value = line.split(b':')
                if name.lower() == b'content-length':
                    length = int(value)
            self.messages.put(json.loads(stream.read(length)))

    def send(self, message):
        body = json.dumps({'jsonrpc': '2.0', **message}).encode()
        self.process.stdin.write(b'Content-Length: %d\r\n\r\n' % len(body) + body)
        self.process.stdin.flush()

    def tell(self, method, params):
        self.send({'method': method, 'params': params})

    def next_message(self, timeout=60):
        message = self.messages.get(timeout=timeout)
        assert message is not None, f'the server ended with {self.process.wait()}'
        if message.get('method') == 'textDocument/publishDiagnostics':
            self.published.append(message['params'])
        elif message.get('method') == '$/progress':
            self.progress.append((message['params']['token'], message['params']['value']))
        elif message.get('method') == 'window/workDoneProgress/create':
            self.send({'id': message['id'], 'result': None})
        elif 'method' not in message:
            self.answers[message['id']] = message
        return message

    def begin(self, method, params):
        """Sends a request; the number by which its answer is known."""
        self.next_id += 1
        self.send({'id': self.next_id, 'method': method, 'params': params})
        return self.next_id

    def answer(self, number):
        while number not in self.answers:
            self.next_message()
        message = self.answers.pop(number)
        if 'error' in message:
            raise RequestFailed(message['error']['message'])
        return message['result']

    def ask(self, method, params):
        return self.answer(self.begin(method, params))

    def next_progress(self, kind):
        """The token and the value of the next progress of that kind."""
        while True:
            for item in self.progress:
                if item[1]['kind'] == kind:
                    self.progress.remove(item)
                    return item
            self.next_message()

    def uri(self, name):
        return (self.folder / name).as_uri()

    def open(self, name, text):
        self.texts[name], self.versions[name] = text, 1
        self.tell('textDocument/didOpen', {'textDocument': {
            'uri': self.uri(name), 'languageId': 'futhark', 'version': 1, 'text': text}})

    def close(self, name):
        self.tell('textDocument/didClose', {'textDocument': {'uri': self.uri(name)}})

    def replace(self, name, begin, end, new):
        """Replaces the characters from `begin` to `end` by `new`."""
        change = {'range': {'start': self.place(name, begin), 'end': self.place(name, end)},
                  'text': new}
        self.texts[name] = self.texts[name][:begin] + new + self.texts[name][end:]
        self.change(name, [change])

    def rewrite(self, name, text):
        self.texts[name] = text
        self.change(name, [{'text': text}])

    def change(self, name, changes):
        self.versions[name] += 1
        self.tell('textDocument/didChange', {
            'textDocument': {'uri': self.uri(name), 'version': self.versions[name]},
            'contentChanges': changes})

    def diagnostics(self, name):
        """Those of the version that was sent last."""
        uri, version = self.uri(name), self.versions[name]
        while True:
            ours = [item for item in self.published if item['uri'] == uri]
            self.published = [item for item in self.published if item['uri'] != uri]
            for item in ours:
                if item.get('version') == version:
                    return item['diagnostics']
            self.next_message()

    def place(self, name, offset):
        before = self.texts[name][:offset].split('\n')
        return {'line': len(before) - 1, 'character': len(before[-1].encode('utf-16-le')) // 2}

    def at(self, name, word, nth=0, inside=0):
        """The place of the nth `word`, `inside` characters from its start."""
        offset = -1
        for _ in range(nth + 1):
            offset = self.texts[name].index(word, offset + 1)
        return self.place(name, offset + inside)

    def query(self, method, name, place=None, **others):
        params = {'textDocument': {'uri': self.uri(name)}, **others}
        if place is not None:
            params['position'] = place
        return self.ask('textDocument/' + method, params)

    def part(self, name, span):
        """The text of a range."""
        lines = self.texts[name].split('\n')

        def cut(line, character):
            return line.encode('utf-16-le')[:2 * character].decode('utf-16-le')
        first, last = span['start'], span['end']
        if first['line'] == last['line']:
            line = lines[first['line']]
            return cut(line, last['character'])[len(cut(line, first['character'])):]
        start = lines[first['line']]
        return '\n'.join([start[len(cut(start, first['character'])):],
                          *lines[first['line'] + 1:last['line']],
                          cut(lines[last['line']], last['character'])])

    def end(self):
        self.ask('shutdown', None)
        self.tell('exit', None)
        return self.process.wait(timeout=30)
