// Everything comes from the language server, `dagaz lsp`; what stands here translates between its
// terms and those of the editor.
'use strict';
const vscode = require('vscode');
const { Connection } = require('./connection');

const language = 'futhark';
let connection = null;
let reported = null;

function compiler() {
  return vscode.workspace.getConfiguration('dagaz').get('path', 'dagaz');
}

// ---------------------------------------------------------------- to the editor's terms

const toPosition = (place) => new vscode.Position(place.line, place.character);
const toRange = (range) => new vscode.Range(toPosition(range.start), toPosition(range.end));
const toLocation = (location) =>
  new vscode.Location(vscode.Uri.parse(location.uri), toRange(location.range));
const toMarkdown = (content) => new vscode.MarkdownString(content.value);
const toEdit = (edit) => vscode.TextEdit.replace(toRange(edit.range), edit.newText);

function toDiagnostic(item) {
  const severity = item.severity === 2
    ? vscode.DiagnosticSeverity.Warning : vscode.DiagnosticSeverity.Error;
  const diagnostic = new vscode.Diagnostic(toRange(item.range), item.message, severity);
  diagnostic.source = item.source;
  diagnostic.code = item.code;
  diagnostic.tags = item.tags;
  diagnostic.relatedInformation = (item.relatedInformation || []).map((related) =>
    new vscode.DiagnosticRelatedInformation(toLocation(related.location), related.message));
  return diagnostic;
}

function toWorkspaceEdit(result) {
  const edit = new vscode.WorkspaceEdit();
  for (const [uri, edits] of Object.entries(result.changes)) {
    edit.set(vscode.Uri.parse(uri), edits.map(toEdit));
  }
  return edit;
}

function toSymbol(item) {
  // The protocol counts kinds from 1.
  const symbol = new vscode.DocumentSymbol(
    item.name, item.detail || '', item.kind - 1, toRange(item.range), toRange(item.selectionRange));
  symbol.children = (item.children || []).map(toSymbol);
  return symbol;
}

function toCompletion(item) {
  const result = new vscode.CompletionItem(item.label, item.kind - 1);
  result.detail = item.detail;
  result.sortText = item.sortText;
  if (item.documentation) result.documentation = toMarkdown(item.documentation);
  result.range = toRange(item.textEdit.range);
  result.insertText = item.insertTextFormat === 2
    ? new vscode.SnippetString(item.textEdit.newText) : item.textEdit.newText;
  return result;
}

function toSignatureHelp(result) {
  const help = new vscode.SignatureHelp();
  help.signatures = result.signatures.map((item) => {
    const signature = new vscode.SignatureInformation(
      item.label, item.documentation && toMarkdown(item.documentation));
    signature.parameters = item.parameters.map(
      (parameter) => new vscode.ParameterInformation(parameter.label));
    return signature;
  });
  help.activeSignature = result.activeSignature;
  help.activeParameter = result.activeParameter;
  return help;
}

function toHint(item) {
  const hint = new vscode.InlayHint(
    toPosition(item.position), item.label, vscode.InlayHintKind.Type);
  hint.tooltip = item.tooltip;
  return hint;
}

function toAction(item) {
  const action = new vscode.CodeAction(item.title, vscode.CodeActionKind.QuickFix);
  action.edit = toWorkspaceEdit(item.edit);
  action.diagnostics = item.diagnostics.map(toDiagnostic);
  action.isPreferred = item.isPreferred;
  return action;
}

const toLens = ({ range, command }) => new vscode.CodeLens(toRange(range), command);

function toSelection(item) {
  return new vscode.SelectionRange(
    toRange(item.range), item.parent ? toSelection(item.parent) : undefined);
}

// ---------------------------------------------------------------- to the server's terms

const fromPosition = ({ line, character }) => ({ line, character });
const fromRange = ({ start, end }) => ({ start: fromPosition(start), end: fromPosition(end) });

// ---------------------------------------------------------------- questions

const ask = (method, document, rest) => connection.request(
  `textDocument/${method}`, { textDocument: { uri: document.uri.toString() }, ...rest });

/** Asks about a place; `convert` gets an answer that is not null. */
async function askAt(method, document, position, convert, rest) {
  const result = await ask(method, document, { position: fromPosition(position), ...rest });
  return result === null ? null : convert(result);
}

function register(capabilities) {
  const add = vscode.languages;
  const { legend } = capabilities.semanticTokensProvider;
  return [
    add.registerHoverProvider(language, {
      provideHover: (document, position) => askAt('hover', document, position,
        (result) => new vscode.Hover(toMarkdown(result.contents), toRange(result.range))),
    }),
    add.registerDefinitionProvider(language, {
      provideDefinition: (document, position) =>
        askAt('definition', document, position, toLocation),
    }),
    add.registerTypeDefinitionProvider(language, {
      provideTypeDefinition: (document, position) =>
        askAt('typeDefinition', document, position, toLocation),
    }),
    add.registerReferenceProvider(language, {
      provideReferences: (document, position, context) =>
        askAt('references', document, position, (result) => result.map(toLocation), { context }),
    }),
    add.registerDocumentHighlightProvider(language, {
      provideDocumentHighlights: (document, position) => askAt(
        'documentHighlight', document, position, (result) => result.map(
          (item) => new vscode.DocumentHighlight(toRange(item.range), item.kind - 1))),
    }),
    add.registerRenameProvider(language, {
      prepareRename: (document, position) => askAt('prepareRename', document, position,
        (result) => ({ range: toRange(result.range), placeholder: result.placeholder })),
      provideRenameEdits: (document, position, newName) =>
        askAt('rename', document, position, toWorkspaceEdit, { newName }),
    }),
    add.registerDocumentSymbolProvider(language, {
      provideDocumentSymbols: async (document) =>
        (await ask('documentSymbol', document)).map(toSymbol),
    }),
    add.registerWorkspaceSymbolProvider({
      provideWorkspaceSymbols: async (query) =>
        (await connection.request('workspace/symbol', { query })).map((item) =>
          new vscode.SymbolInformation(item.name, item.kind - 1, '', toLocation(item.location))),
    }),
    add.registerCompletionItemProvider(language, {
      provideCompletionItems: (document, position) => askAt('completion', document, position,
        (result) => result.items.map(toCompletion)),
    }, '.', '#'),
    add.registerSignatureHelpProvider(language, {
      provideSignatureHelp: (document, position) =>
        askAt('signatureHelp', document, position, toSignatureHelp),
    }, ' '),
    add.registerFoldingRangeProvider(language, {
      provideFoldingRanges: async (document) => (await ask('foldingRange', document)).map((item) =>
        new vscode.FoldingRange(item.startLine, item.endLine,
          item.kind === 'comment' ? vscode.FoldingRangeKind.Comment : undefined)),
    }),
    add.registerSelectionRangeProvider(language, {
      provideSelectionRanges: async (document, places) => {
        const positions = places.map(fromPosition);
        return (await ask('selectionRange', document, { positions })).map(toSelection);
      },
    }),
    add.registerDocumentFormattingEditProvider(language, {
      // A program with mistakes is left as it is.
      provideDocumentFormattingEdits: async (document) =>
        (await ask('formatting', document, { options: {} }).catch(() => [])).map(toEdit),
    }),
    add.registerInlayHintsProvider(language, {
      provideInlayHints: async (document, range) =>
        (await ask('inlayHint', document, { range: fromRange(range) })).map(toHint),
    }),
    add.registerCodeActionsProvider(language, {
      provideCodeActions: async (document, range) => (await ask('codeAction', document,
        { range: fromRange(range), context: { diagnostics: [] } })).map(toAction),
    }),
    add.registerCodeLensProvider(language, {
      provideCodeLenses: async (document) => (await ask('codeLens', document)).map(toLens),
    }),
    // The server runs the program as it is on disk, and shows what came of it.
    ...capabilities.executeCommandProvider.commands.map((command) =>
      vscode.commands.registerCommand(command, async (...args) => {
        await vscode.workspace.saveAll();
        return withProgress('Dagaz: running a test block', (workDoneToken) => connection.request(
          'workspace/executeCommand', { command, arguments: args, workDoneToken }));
      })),
    add.registerDocumentSemanticTokensProvider(language, {
      provideDocumentSemanticTokens: async (document) => new vscode.SemanticTokens(
        new Uint32Array((await ask('semanticTokens/full', document)).data)),
    }, new vscode.SemanticTokensLegend(legend.tokenTypes, legend.tokenModifiers)),
  ];
}

let lastToken = 0;

// Shows that something is under way, with a button that cancels it.
function withProgress(title, ask) {
  lastToken += 1;
  const token = lastToken;
  const shown = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return vscode.window.withProgress(shown, (progress, cancellation) => {
    cancellation.onCancellationRequested(
      () => connection.notify('window/workDoneProgress/cancel', { token }));
    return ask(token).catch((error) => {
      if (!cancellation.isCancellationRequested) throw error;
    });
  });
}

// ---------------------------------------------------------------- documents

const isOurs = (document) =>
  document.languageId === language && document.uri.scheme === 'file' && connection !== null;

function opened(document) {
  if (!isOurs(document)) return;
  connection.notify('textDocument/didOpen', {
    textDocument: {
      uri: document.uri.toString(),
      languageId: language,
      version: document.version,
      text: document.getText(),
    },
  });
}

function changed(event) {
  if (!isOurs(event.document) || event.contentChanges.length === 0) return;
  connection.notify('textDocument/didChange', {
    textDocument: { uri: event.document.uri.toString(), version: event.document.version },
    contentChanges: event.contentChanges.map(
      ({ range, text }) => ({ range: fromRange(range), text })),
  });
}

function noticed(name) {
  return (document) => {
    if (!isOurs(document)) return;
    connection.notify(`textDocument/${name}`, { textDocument: { uri: document.uri.toString() } });
  };
}

function told(method, params) {
  if (method === 'window/showMessage') {
    const isError = params.type === 1;
    vscode.window[isError ? 'showErrorMessage' : 'showInformationMessage'](params.message);
  }
  if (method !== 'textDocument/publishDiagnostics') return;
  reported.set(vscode.Uri.parse(params.uri), params.diagnostics.map(toDiagnostic));
}

function ended(error) {
  const why = error.code === 'ENOENT' ? 'set dagaz.path to the compiler' : error.message;
  vscode.window.showErrorMessage(`Dagaz: \`${compiler()} lsp\` does not run: ${why}`);
}

async function activate(context) {
  reported = vscode.languages.createDiagnosticCollection('dagaz');
  const { workspace } = vscode;
  connection = new Connection(compiler(), told, ended);
  const folders = (workspace.workspaceFolders || []).map(
    ({ uri, name }) => ({ uri: uri.toString(), name }));
  const answer = await connection.request('initialize', {
    processId: process.pid,
    rootUri: folders.length > 0 ? folders[0].uri : null,
    workspaceFolders: folders,
    capabilities: {
      general: { positionEncodings: ['utf-16'] },
      textDocument: { completion: { completionItem: { snippetSupport: true } } },
    },
  }).catch(() => null);
  if (answer === null) return;  // which the user was told
  connection.notify('initialized', {});
  context.subscriptions.push(
    reported, ...register(answer.capabilities),
    workspace.onDidOpenTextDocument(opened),
    workspace.onDidChangeTextDocument(changed),
    workspace.onDidSaveTextDocument(noticed('didSave')),
    workspace.onDidCloseTextDocument(noticed('didClose')));
  workspace.textDocuments.forEach(opened);
}

function deactivate() {
  return connection === null ? undefined : connection.stop();
}

module.exports = { activate, deactivate };
