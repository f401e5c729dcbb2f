// Runs the extension for VS Code against a stand-in for the editor, with the real language server.
// usage: node extension_test.js EXTENSION DAGAZ FOLDER
'use strict';
const assert = require('assert');
const fs = require('fs');
const Module = require('module');
const path = require('path');
const { pathToFileURL } = require('url');
const [extension, dagaz, folder] = process.argv.slice(2);

class Position { constructor(line, character) { Object.assign(this, { line, character }); } }
class Range {
  constructor(start, end) { Object.assign(this, { start, end }); }

  toJSON() { return [this.start, this.end]; }  // as the real one does
}
class Record { constructor(...parts) { this.parts = parts; } }
const providers = {};
const listeners = {};
const reported = new Map();
const waiting = [];
const on = (name) => (listener) => { listeners[name] = listener; };
const provider = (name) => (...all) => { providers[name] = all.find((x) => typeof x === 'object'); };
const languages = {
  createDiagnosticCollection: () => ({
    set: (uri, list) => {
      reported.set(uri, list);
      waiting.splice(0).forEach((resume) => resume());
    },
  }),
};
for (const name of ['Hover', 'Definition', 'TypeDefinition', 'Reference', 'DocumentHighlight',
  'Rename', 'DocumentSymbol', 'WorkspaceSymbol', 'CompletionItem', 'SignatureHelp',
  'FoldingRange', 'SelectionRange', 'DocumentFormattingEdit', 'DocumentSemanticTokens']) {
  languages[`register${name}Provider`] = provider(name);
}
languages.registerInlayHintsProvider = provider('InlayHints');
languages.registerCodeActionsProvider = provider('CodeActions');
languages.registerCodeLensProvider = provider('CodeLens');
const commands = {};
const cancellation = { onCancellationRequested: (act) => { cancellation.cancel = act; } };
const editor = {
  Position,
  Range,
  Uri: { parse: (text) => text },
  DiagnosticSeverity: { Error: 0, Warning: 1 },
  InlayHintKind: { Type: 1 },
  ProgressLocation: { Notification: 15 },
  CodeActionKind: { QuickFix: 'quickfix' },
  commands: { registerCommand: (name, act) => { commands[name] = act; } },
  FoldingRangeKind: { Comment: 1 },
  TextEdit: { replace: (range, newText) => ({ range, newText }) },
  window: {
    showErrorMessage: (message) => { throw new Error(message); },
    showInformationMessage: () => {},
    withProgress: (shown, act) => act({}, cancellation),
  },
  workspace: {
    getConfiguration: () => ({ get: (name, usual) => (name === 'path' ? dagaz : usual) }),
    workspaceFolders: [{ uri: pathToFileURL(folder).href, name: 'test' }],
    onDidOpenTextDocument: on('open'),
    onDidChangeTextDocument: on('change'),
    onDidSaveTextDocument: on('save'),
    onDidCloseTextDocument: on('close'),
    textDocuments: [],
    saveAll: async () => {},
  },
  languages,
};
for (const name of ['Diagnostic', 'DiagnosticRelatedInformation', 'Location', 'MarkdownString',
  'DocumentSymbol', 'CompletionItem', 'SnippetString', 'SignatureHelp', 'SignatureInformation',
  'ParameterInformation', 'InlayHint', 'SelectionRange', 'Hover', 'DocumentHighlight',
  'SymbolInformation', 'FoldingRange', 'CodeAction', 'CodeLens', 'SemanticTokens', 'SemanticTokensLegend']) {
  editor[name] = class extends Record {};
}
editor.WorkspaceEdit = class {
  constructor() { this.files = new Map(); }

  set(uri, edits) { this.files.set(uri, edits); }
};
const load = Module._load;
Module._load = (name, ...rest) => (name === 'vscode' ? editor : load(name, ...rest));

function documentOf(name, text) {
  const fileName = path.join(folder, name);
  fs.writeFileSync(fileName, text);
  return {
    languageId: 'futhark',
    uri: { scheme: 'file', toString: () => pathToFileURL(fileName).href },
    version: 1,
    getText: () => text,
  };
}

async function diagnosticsOf(document) {
  while (!reported.has(document.uri.toString())) {
    await new Promise((resume) => { waiting.push(resume); });
  }
  const found = reported.get(document.uri.toString());
  reported.delete(document.uri.toString());
  return found;
}

async function main() {
  const { activate, deactivate } = require(path.resolve(extension));
  await activate({ subscriptions: [] });

  const untidy = documentOf('untidy.fut', 'def a = 1i32\n\n-- | Adds one.\ndef  f x=x+a\n\ndef g = f 2\n');
  listeners.open(untidy);
  assert.deepStrictEqual(await diagnosticsOf(untidy), []);
  const edits = await providers.DocumentFormattingEdit.provideDocumentFormattingEdits(untidy);
  assert(edits[0].newText.includes('def f x = x + a\n'), edits[0].newText);
  const hover = await providers.Hover.provideHover(untidy, new Position(5, 8));
  assert(hover.parts[0].parts[0].includes('Adds one.'), hover.parts[0].parts[0]);
  const found = await providers.Definition.provideDefinition(untidy, new Position(5, 8));
  assert.strictEqual(found.parts[1].start.line, 3);
  const items = await providers.CompletionItem.provideCompletionItems(untidy, new Position(5, 9));
  assert(items.some((item) => item.parts[0] === 'f'));
  const span = new Range(new Position(0, 0), new Position(9, 0));
  const hints = await providers.InlayHints.provideInlayHints(untidy, span);
  assert(hints.some((hint) => hint.parts[1] === ': i32'));

  // A character that is one code point and two units of UTF-16 precedes the mistake.
  const mistaken = documentOf('mistaken.fut', 'def f = ("\u{1d538}", 1i32)\n');
  listeners.open(mistaken);
  assert.deepStrictEqual(await diagnosticsOf(mistaken), []);
  const begin = 'def f = ("\u{1d538}", '.length;
  const range = new Range(new Position(0, begin), new Position(0, begin + 4));
  listeners.change({
    document: { ...mistaken, version: 2 },
    contentChanges: [{ range, text: 'unknown' }],
  });
  const [mistake, ...others] = await diagnosticsOf(mistaken);
  assert.strictEqual(others.length, 0);
  assert.strictEqual(mistake.code, 'unknown-name');
  assert.strictEqual(mistake.parts[0].start.character, begin);

  const misspelt = documentOf('misspelt.fut',
    '-- ==\n-- input { 2i32 } output { 4i32 }\nentry main (value: i32) = value + valeu\n');
  listeners.open(misspelt);
  const [unknown] = await diagnosticsOf(misspelt);
  const [action] = await providers.CodeActions.provideCodeActions(misspelt, unknown.parts[0]);
  const [[, [edit]]] = [...action.edit.files];
  assert.strictEqual(edit.newText, 'value');
  const tested = documentOf('tested.fut',
    '-- ==\n-- input { 2i32 } output { 4i32 }\nentry main (value: i32) = value + value\n');
  listeners.open(tested);
  const [lens] = await providers.CodeLens.provideCodeLenses(tested);
  const { command, arguments: args } = lens.parts[1];
  assert((await commands[command](...args)).succeeded);
  const endless = documentOf('endless.fut', '-- ==\n-- input { 1i64 } output { 1i64 }\n'
    + 'entry main (n: i64) = loop x = n while x > 0 do i64.max x 1\n');
  listeners.open(endless);
  const stopped = commands[command](endless.uri.toString(), 1);
  await new Promise(setImmediate);  // it has saved, and asked
  cancellation.isCancellationRequested = true;
  cancellation.cancel();
  assert.strictEqual(await stopped, undefined);
  await deactivate();
  console.log('the extension shows what the server says');
}

main().catch((error) => { console.error(error); process.exit(1); });
