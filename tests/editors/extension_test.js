// Runs the extension for VS Code against a stand-in for the editor, with the real compiler.
// usage: node extension_test.js EXTENSION DAGAZ FOLDER
'use strict';
const assert = require('assert');
const fs = require('fs');
const Module = require('module');
const path = require('path');
const [extension, dagaz, folder] = process.argv.slice(2);

class Position { constructor(line, character) { Object.assign(this, { line, character }); } }
class Range { constructor(start, end) { Object.assign(this, { start, end }); } }
class Diagnostic {
  constructor(range, message, severity) { Object.assign(this, { range, message, severity }); }
}
let formatter;
const listeners = {};
const reported = new Map();
const on = (name) => (listener) => { listeners[name] = listener; };
const editor = {
  Position,
  Range,
  Diagnostic,
  DiagnosticSeverity: { Error: 0, Warning: 1 },
  TextEdit: { replace: (range, newText) => ({ range, newText }) },
  window: { showErrorMessage: (message) => { throw new Error(message); } },
  workspace: {
    getConfiguration: () => ({ get: (name, usual) => (name === 'path' ? dagaz : usual) }),
    onDidOpenTextDocument: on('open'),
    onDidSaveTextDocument: on('save'),
    onDidCloseTextDocument: on('close'),
    textDocuments: [],
  },
  languages: {
    createDiagnosticCollection: () => ({
      set: (uri, list) => reported.set(uri.path, list),
      delete: (uri) => reported.delete(uri.path),
    }),
    registerDocumentFormattingEditProvider: (language, provider) => { formatter = provider; },
  },
};
const load = Module._load;
Module._load = (name, ...rest) => (name === 'vscode' ? editor : load(name, ...rest));

function documentOf(name, text) {
  const fileName = path.join(folder, name);
  fs.writeFileSync(fileName, text);
  const lines = text.split('\n');
  return {
    fileName,
    languageId: 'futhark',
    uri: { scheme: 'file', path: fileName },
    lineCount: lines.length,
    getText: () => text,
    lineAt: (line) => ({ text: lines[line] }),
    positionAt: (offset) => {
      const before = text.slice(0, offset).split('\n');
      return new Position(before.length - 1, before[before.length - 1].length);
    },
  };
}

async function main() {
  require(path.resolve(extension)).activate({ subscriptions: [] });

  const untidy = documentOf('untidy.fut', 'def  f x=x+1\n');
  const edits = await formatter.provideDocumentFormattingEdits(untidy);
  assert.deepStrictEqual(edits.map((edit) => edit.newText), ['def f x = x + 1\n']);
  assert.deepStrictEqual({ ...edits[0].range.end }, { line: 1, character: 0 });
  const wrong = documentOf('wrong.fut', 'def f = (\n');
  assert.deepStrictEqual(await formatter.provideDocumentFormattingEdits(wrong), []);

  // A character that is one code point and two units of UTF-16 precedes the mistake.
  const mistaken = documentOf('mistaken.fut', 'def f = ("\u{1d538}", unknown)\n');
  await listeners.open(mistaken);
  const [mistake, ...others] = reported.get(mistaken.fileName);
  assert.strictEqual(others.length, 0);
  assert.strictEqual(mistake.code, 'unknown-name');
  assert.strictEqual(mistake.severity, 0);
  assert.strictEqual(mistake.range.start.character, 'def f = ("\u{1d538}", '.length);
  await listeners.save(documentOf('mistaken.fut', 'def f = 1i32\n'));
  assert.deepStrictEqual(reported.get(mistaken.fileName), []);
  console.log('the extension formats and shows diagnostics');
}

main().catch((error) => { console.error(error); process.exit(1); });
