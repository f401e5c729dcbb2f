// A client of the Language Server Protocol: one process of the compiler, messages framed by their
// length, requests answered by promises.
'use strict';
const { spawn } = require('child_process');

class Connection {
  /** `tell` gets every notification; `ended` is called when the process is gone. */
  constructor(command, tell, ended) {
    this.waiting = new Map();
    this.nextId = 0;
    this.input = Buffer.alloc(0);
    this.tell = tell;
    this.process = spawn(command, ['lsp'], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.process.on('error', (error) => this.end(error, ended));
    this.process.on('exit', (status) => this.end(new Error(`status ${status}`), ended));
    this.process.stdin.on('error', () => {});
    this.process.stdout.on('data', (bytes) => this.receive(bytes));
  }

  end(error, ended) {
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
    if (!this.isOver) ended(error);
    this.isOver = true;
  }

  send(message) {
    if (this.isOver) return;
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.process.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  notify(method, params) { this.send({ method, params }); }

  request(method, params) {
    if (this.isOver) return Promise.reject(new Error('the server is not running'));
    this.nextId += 1;
    const id = this.nextId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.send({ id, method, params });
    });
  }

  receive(bytes) {
    this.input = Buffer.concat([this.input, bytes]);
    for (;;) {
      const head = this.input.indexOf('\r\n\r\n');
      if (head < 0) return;
      const fields = this.input.toString('latin1', 0, head);
      const length = Number(/content-length: *(\d+)/i.exec(fields)[1]);
      if (this.input.length < head + 4 + length) return;
      const message = JSON.parse(this.input.toString('utf8', head + 4, head + 4 + length));
      this.input = this.input.subarray(head + 4 + length);
      this.handle(message);
    }
  }

  handle(message) {
    const waiting = this.waiting.get(message.id);
    if (message.method !== undefined) {
      this.tell(message.method, message.params);
    } else if (waiting) {
      this.waiting.delete(message.id);
      if (message.error) waiting.reject(new Error(message.error.message));
      else waiting.resolve(message.result);
    }
  }

  async stop() {
    this.stopping = true;
    await this.request('shutdown', null).catch(() => {});
    this.notify('exit', null);
    this.isOver = true;
  }
}

module.exports = { Connection };
