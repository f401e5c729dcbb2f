// Messages are handled one after another; only test blocks run beside (runs.h).  Diagnostics are
// published when no message is waiting, so that a fast typist's server does not check every state
// of the text.
#include "tools/lsp/server.h"

#include <unistd.h>

#include <map>
#include <string>
#include <utility>

#include "tools/lsp/protocol.h"
#include "tools/lsp/requests.h"
#include "tools/lsp/runs.h"
#include "tools/lsp/snapshot.h"

namespace dagaz::tools::lsp {

namespace {

// Without new input for so long, what was typed is checked.
constexpr int pause_in_milliseconds = 5;

using Handler = Json (*)(const Query&);

const std::map<std::string, Handler>& handlers() {
  static const std::map<std::string, Handler> table{
      {"textDocument/hover", hover},
      {"textDocument/definition", definition},
      {"textDocument/declaration", definition},
      {"textDocument/typeDefinition", type_definition},
      {"textDocument/references", references},
      {"textDocument/documentHighlight", document_highlight},
      {"textDocument/prepareRename", prepare_rename},
      {"textDocument/rename", rename},
      {"textDocument/documentSymbol", document_symbols},
      {"textDocument/completion", completion},
      {"textDocument/signatureHelp", signature_help},
      {"textDocument/semanticTokens/full", semantic_tokens},
      {"textDocument/foldingRange", folding_ranges},
      {"textDocument/selectionRange", selection_ranges},
      {"textDocument/formatting", formatting},
      {"textDocument/inlayHint", inlay_hints},
      {"textDocument/codeAction", code_actions},
      {"textDocument/codeLens", code_lenses},
  };
  return table;
}

Json capabilities(Encoding encoding) {
  return {
      {"positionEncoding", encoding == Encoding::utf8 ? "utf-8" : "utf-16"},
      {"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", true}}},
      {"hoverProvider", true},
      {"definitionProvider", true},
      {"declarationProvider", true},
      {"typeDefinitionProvider", true},
      {"referencesProvider", true},
      {"documentHighlightProvider", true},
      {"renameProvider", {{"prepareProvider", true}}},
      {"documentSymbolProvider", true},
      {"workspaceSymbolProvider", true},
      {"completionProvider", {{"triggerCharacters", {".", "#"}}}},
      {"signatureHelpProvider", {{"triggerCharacters", {" "}}}},
      {"semanticTokensProvider",
       {{"legend", {{"tokenTypes", token_types()}, {"tokenModifiers", token_modifiers()}}},
        {"full", true}}},
      {"foldingRangeProvider", true},
      {"selectionRangeProvider", true},
      {"documentFormattingProvider", true},
      {"inlayHintProvider", true},
      {"codeLensProvider", Json::object()},
      {"executeCommandProvider",
       {{"commands", {test_command, bench_command}}, {"workDoneProgress", true}}},
      {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}},
  };
}

class Server {
 public:
  Server(Connection& connection, const Services& services)
      : connection_(connection), workspace_(services), runs_(connection, services) {}

  int run() {
    while (true) {
      if (!connection_.has_input(pause_in_milliseconds)) publish();
      const std::optional<Json> message = connection_.receive();
      if (!message) return is_shut_down_ ? 0 : 1;
      const bool is_exit = message->is_object() && message->contains("method") &&
                           message->at("method") == "exit";
      if (is_exit) return is_shut_down_ ? 0 : 1;
      handle(*message);
    }
  }

 private:
  void handle(const Json& message) {
    const bool is_request = message.is_object() && message.contains("id");
    if (!message.is_object()) {
      const RequestError error{ErrorCode::parse_error, "the message is no JSON object"};
      return connection_.send(error_answer(nullptr, error));
    }
    if (!message.contains("method")) return runs_.progress_created(message);
    try {
      const auto method = message.at("method").get<std::string>();
      const Json params = message.value("params", Json::object());
      if (!is_request) {
        notice(method, params);
      } else if (method == "workspace/executeCommand") {
        check_state();
        runs_.start(message["id"], params);
      } else {
        connection_.send(answer(message["id"], result(method, params)));
      }
    } catch (const RequestError& error) {
      if (is_request) connection_.send(error_answer(message["id"], error));
    } catch (const Json::exception& error) {
      const RequestError mistake{ErrorCode::invalid_params, error.what()};
      if (is_request) connection_.send(error_answer(message["id"], mistake));
    }
  }

  void check_state() const {
    if (!is_initialized_) throw RequestError{ErrorCode::not_initialized, "not initialized"};
    if (is_shut_down_) throw RequestError{ErrorCode::invalid_request, "the server is shut down"};
  }

  Json result(const std::string& method, const Json& params) {
    if (method == "initialize") return initialize(params);
    check_state();
    if (method == "shutdown") {
      is_shut_down_ = true;
      runs_.stop_all();
      return nullptr;
    }
    if (method == "workspace/symbol") {
      return workspace_symbols(workspace_, params.value("query", ""));
    }
    const auto handler = handlers().find(method);
    if (handler == handlers().end()) {
      throw RequestError{ErrorCode::method_not_found, "there is no method " + method};
    }
    // Hints about derivatives take longer than anything else: mistakes come first.
    if (method == "textDocument/inlayHint") publish();
    Document& document = document_of(params);
    const Snapshot& snapshot = check(document);
    std::uint32_t offset = 0;
    if (params.contains("position")) offset = snapshot.lines().offset(place_of(params["position"]));
    return handler->second({workspace_, document, snapshot, params, offset});
  }

  Json initialize(const Json& params) {
    is_initialized_ = true;
    const Json client = params.value("capabilities", Json::object());
    const Json encodings =
        client.value("/general/positionEncodings"_json_pointer, Json::array());
    for (const Json& encoding : encodings) {
      if (encoding == "utf-8") workspace_.encoding = Encoding::utf8;
    }
    workspace_.takes_snippets = client.value(
        "/textDocument/completion/completionItem/snippetSupport"_json_pointer, false);
    runs_.client_shows_progress = client.value("/window/workDoneProgress"_json_pointer, false);
    std::vector<std::string> folders;
    if (params.contains("workspaceFolders") && params["workspaceFolders"].is_array()) {
      for (const Json& folder : params["workspaceFolders"]) {
        folders.push_back(path_of(folder.at("uri").get<std::string>()));
      }
    } else if (params.contains("rootUri") && params["rootUri"].is_string()) {
      folders.push_back(path_of(params["rootUri"].get<std::string>()));
    }
    // Imports whose path begins with `/` start there.
    if (!folders.empty() && chdir(folders.front().c_str()) != 0) folders.erase(folders.begin());
    workspace_.folders = std::move(folders);
    return {{"capabilities", capabilities(workspace_.encoding)},
            {"serverInfo",
             {{"name", "dagaz"}, {"version", workspace_.services().version}}}};
  }

  void notice(const std::string& method, const Json& params) {
    if (method == "textDocument/didOpen") {
      const Json& document = params.at("textDocument");
      workspace_.open(document.at("uri").get<std::string>(),
                      document.value("version", std::int64_t{0}),
                      document.at("text").get<std::string>());
    } else if (method == "textDocument/didChange") {
      change(document_of(params), params);
    } else if (method == "textDocument/didClose") {
      const auto address = params.at("textDocument").at("uri").get<std::string>();
      workspace_.close(address);
      connection_.send(publication(address, Json::array(), std::nullopt));
    } else if (method == "workspace/didChangeWatchedFiles") {
      for (const Json& file : params.at("changes")) {
        workspace_.changed(path_of(file.at("uri").get<std::string>()));
      }
    } else if (method == "textDocument/didSave") {
      workspace_.changed(document_of(params).path);
    } else if (method == "$/cancelRequest") {
      runs_.cancel_request(params.at("id"));
    } else if (method == "window/workDoneProgress/cancel") {
      runs_.cancel_progress(params.at("token"));
    }
  }

  void change(Document& document, const Json& params) {
    for (const Json& edit : params.at("contentChanges")) {
      auto text = edit.at("text").get<std::string>();
      if (!edit.contains("range")) {
        document.text = std::move(text);
        continue;
      }
      const LineIndex lines(document.text, workspace_.encoding);
      const std::uint32_t begin = lines.offset(place_of(edit["range"].at("start")));
      const std::uint32_t end = lines.offset(place_of(edit["range"].at("end")));
      document.text.replace(begin, end < begin ? 0 : end - begin, text);
    }
    document.version = params.at("textDocument").value("version", document.version);
    workspace_.changed(document.path);
  }

  Document& document_of(const Json& params) {
    const auto address = params.at("textDocument").at("uri").get<std::string>();
    Document* document = workspace_.find(address);
    if (document == nullptr) {
      throw RequestError{ErrorCode::invalid_params, address + " is not open"};
    }
    return *document;
  }

  const Snapshot& check(Document& document) {
    if (document.snapshot == nullptr) document.snapshot = workspace_.check(document.path);
    return *document.snapshot;
  }

  void publish() {
    for (auto& [path, document] : workspace_.documents()) {
      if (document.is_published) continue;
      document.is_published = true;
      connection_.send(
          publication(document.address, diagnostics(check(document)), document.version));
      if (connection_.has_input(0)) return;
    }
  }

  static Json publication(const std::string& address, Json found,
                          std::optional<std::int64_t> version) {
    Json params{{"uri", address}, {"diagnostics", std::move(found)}};
    if (version) params["version"] = *version;
    return {{"jsonrpc", "2.0"},
            {"method", "textDocument/publishDiagnostics"},
            {"params", std::move(params)}};
  }

  Connection& connection_;
  Workspace workspace_;
  Runs runs_;
  bool is_initialized_ = false;
  bool is_shut_down_ = false;
};

}  // namespace

int serve(int input, int output, const Services& services) {
  Connection connection(input, output);
  return Server(connection, services).run();
}

}  // namespace dagaz::tools::lsp
