// What a client may ask, one function a request; each answers with the result that the protocol
// defines for it.
#pragma once

#include <string>
#include <vector>

#include "tools/lsp/protocol.h"
#include "tools/lsp/snapshot.h"
#include "tools/lsp/workspace.h"

namespace dagaz::tools::lsp {

/// A question about a place of an open document.
struct Query {
  const Workspace& workspace;
  const Document& document;
  const Snapshot& snapshot;
  const Json& params;
  /// Of `params.position`; 0 if there is none.
  std::uint32_t offset;
};

Json hover(const Query& query);
Json definition(const Query& query);
Json type_definition(const Query& query);
Json references(const Query& query);
Json document_highlight(const Query& query);
Json prepare_rename(const Query& query);
Json rename(const Query& query);
Json document_symbols(const Query& query);
Json workspace_symbols(const Workspace& workspace, const std::string& pattern);
Json completion(const Query& query);
Json signature_help(const Query& query);
/// The names of kinds of tokens, in the order in which tokens refer to them.
std::vector<std::string> token_types();
std::vector<std::string> token_modifiers();
Json semantic_tokens(const Query& query);
Json folding_ranges(const Query& query);
Json selection_ranges(const Query& query);
Json formatting(const Query& query);
Json inlay_hints(const Query& query);
/// The edits that diagnostics near the range of the request suggest.
Json code_actions(const Query& query);
/// What runs a test block or times it, above each block.
Json code_lenses(const Query& query);
/// The commands that lenses name: arguments are the address of a program and a line, from 1.
inline constexpr const char* test_command = "dagaz.test";
inline constexpr const char* bench_command = "dagaz.bench";
Json diagnostic_json(const Snapshot& snapshot, const Diagnostic& diagnostic);
/// The diagnostics of the document's own text.
Json diagnostics(const Snapshot& snapshot);

}  // namespace dagaz::tools::lsp
