// Formatting by `dagaz fmt` and diagnostics by `dagaz check --diagnostics=json`, each a process of
// its own; only checking needs the file on disk, because of its imports.
'use strict';
const { execFile } = require('child_process');
const path = require('path');
const vscode = require('vscode');

function compiler() {
  return vscode.workspace.getConfiguration('dagaz').get('path', 'dagaz');
}

/** The exit status, output and errors of one run of the compiler; `input` is its standard input. */
function run(args, folder, input) {
  return new Promise((resolve) => {
    const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024 };
    const child = execFile(compiler(), args, options, (error, stdout, stderr) => {
      resolve({ status: error ? error.code : 0, stdout, stderr });
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

let told = false;
function tellMissing() {
  if (told) return;
  told = true;
  vscode.window.showErrorMessage(
    `Dagaz: cannot run \`${compiler()}\`; set dagaz.path to the compiler`);
}

async function format(document) {
  const result = await run(['fmt'], path.dirname(document.fileName), document.getText());
  if (result.status === 'ENOENT') tellMissing();
  if (result.status !== 0 || result.stdout === document.getText()) return [];
  const end = document.positionAt(document.getText().length);
  return [vscode.TextEdit.replace(
    new vscode.Range(new vscode.Position(0, 0), end), result.stdout)];
}

/** Lines and columns of the compiler count from 1, in code points; those here from 0, in UTF-16. */
function toPosition(document, line, column) {
  const row = Math.min(line - 1, document.lineCount - 1);
  const points = Array.from(document.lineAt(row).text).slice(0, column - 1);
  return new vscode.Position(row, points.join('').length);
}

function toDiagnostic(document, item) {
  const { line, column, end_line: endLine, end_column: endColumn } = item.range;
  const range = new vscode.Range(
    toPosition(document, line, column), toPosition(document, endLine, endColumn));
  const severity = item.severity === 'warning'
    ? vscode.DiagnosticSeverity.Warning : vscode.DiagnosticSeverity.Error;
  const message = [item.message, ...item.hints.map((hint) => `help: ${hint}`)].join('\n');
  const diagnostic = new vscode.Diagnostic(range, message, severity);
  diagnostic.source = 'dagaz';
  diagnostic.code = item.kind;
  return diagnostic;
}

async function check(document, collection) {
  const enabled = vscode.workspace.getConfiguration('dagaz').get('checkOnSave', true);
  if (document.languageId !== 'futhark' || document.uri.scheme !== 'file' || !enabled) return;
  const folder = path.dirname(document.fileName);
  const name = path.basename(document.fileName);
  const result = await run(['check', '--diagnostics=json', name], folder, '');
  if (result.status === 'ENOENT') return tellMissing();
  const found = [];
  for (const line of result.stderr.split('\n')) {
    if (!line.startsWith('{')) continue;
    const item = JSON.parse(line);
    if (item.range && item.range.file === name) found.push(toDiagnostic(document, item));
  }
  collection.set(document.uri, found);
}

function activate(context) {
  const collection = vscode.languages.createDiagnosticCollection('dagaz');
  const checkIt = (document) => check(document, collection);
  context.subscriptions.push(
    collection,
    vscode.languages.registerDocumentFormattingEditProvider(
      'futhark', { provideDocumentFormattingEdits: format }),
    vscode.workspace.onDidOpenTextDocument(checkIt),
    vscode.workspace.onDidSaveTextDocument(checkIt),
    vscode.workspace.onDidCloseTextDocument((document) => collection.delete(document.uri)));
  vscode.workspace.textDocuments.forEach(checkIt);
}

module.exports = { activate };
