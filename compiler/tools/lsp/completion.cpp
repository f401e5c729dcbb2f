// What could be written here.  The program is checked with a name in the place of what is being
// written, and the checker says what that name could mean: see check/name_record.h.
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "support/match.h"
#include "syntax/parse.h"
#include "tools/lsp/describe.h"
#include "tools/lsp/names.h"
#include "tools/lsp/requests.h"
#include "tools/lsp/unfinished.h"

namespace dagaz::tools::lsp {

namespace {

constexpr int field_kind = 5;
constexpr int enum_member_kind = 20;
constexpr int keyword_kind = 14;
constexpr int snippet_kind = 15;
constexpr int snippet_format = 2;

struct Snippet {
  const char* label;
  const char* text;
  const char* detail;
};
constexpr Snippet snippets[] = {
    {"map", "map (\\\\${1:x} -> ${2:x}) ${3:xs}", "apply a function to each element"},
    {"reduce", "reduce (${1:+}) ${2:0} ${3:xs}", "combine all elements"},
    {"scan", "scan (${1:+}) ${2:0} ${3:xs}", "combine each prefix"},
    {"filter", "filter (\\\\${1:x} -> ${2:x > 0}) ${3:xs}", "keep some elements"},
    {"loop", "loop ${1:acc} = ${2:0} for ${3:i} < ${4:n} do\n  ${5:acc}", "a sequential loop"},
    {"if", "if ${1:condition} then ${2:a} else ${3:b}", "choose"},
    {"match", "match ${1:value}\ncase ${2:pattern} -> ${3:result}", "choose by pattern"},
    {"vjp", "vjp ${1:f} ${2:x} ${3:1}", "the gradient of a function"},
};

class Completion {
 public:
  explicit Completion(const Query& query)
      : query_(query), text_(query.document.text), word_(word_at(text_, query.offset)) {}

  Json run() {
    if (is_in_comment_or_string()) return nullptr;
    for (const Unfinished& attempt : finish(text_, query_.offset)) {
      const auto read = [&](const std::string& path) { return query_.workspace.read(path); };
      const Analysis analysis(query_.document.path, attempt.text, read, attempt.wanted);
      if (add_names(analysis) || add_parts(analysis, attempt.wanted)) break;
    }
    return {{"isIncomplete", false}, {"items", std::move(items_)}};
  }

 private:
  bool is_in_comment_or_string() const {
    SourceFiles files;
    NameTable names;
    const syntax::Trivia trivia = syntax::scan(files.add("", text_), files, names);
    const std::uint32_t at = query_.offset;
    for (const Range& comment : trivia.comments) {
      if (comment.begin < at && at <= comment.end) return true;
    }
    for (const Range& token : trivia.tokens) {
      if (text_[token.begin] == '"' && token.begin < at && at < token.end) return true;
    }
    return false;
  }

  Json& add(const std::string& label, int kind, char group) {
    items_.push_back({{"label", label},
                      {"kind", kind},
                      {"sortText", group + label},
                      {"textEdit",
                       {{"range", query_.snapshot.range(word_.begin, word_.end)},
                        {"newText", label}}}});
    return items_.back();
  }

  // The names that the checker found to be visible.
  bool add_names(const Analysis& analysis) {
    if (!analysis.record().found) return false;
    const Index index(analysis);
    bool has_terms = false;
    for (const check::NameRecord::Visible& visible : analysis.record().visible) {
      const std::string label(analysis.names().text(visible.name));
      if (!is_identifier(label) || label == "intrinsics") continue;
      has_terms = has_terms || visible.member.kind == check::MemberKind::value;
      add_name(analysis, index, label, visible.member);
    }
    const bool is_qualified = word_.begin > 0 && text_[word_.begin - 1] == '.';
    if (is_qualified || !has_terms) return true;
    for (const std::string_view keyword : keywords()) {
      add(std::string(keyword), keyword_kind, '3');
    }
    if (query_.workspace.takes_snippets) add_snippets();
    return true;
  }

  void add_name(const Analysis& analysis, const Index& index, const std::string& label,
                check::Member member) {
    const auto id = index.find(index.range_of(analysis, member));
    if (!id) {
      const bool is_value = member.kind == check::MemberKind::value;
      const bool is_type = member.kind == check::MemberKind::type;
      Json& item = add(label, is_value ? 3 : is_type ? 22 : 9, '2');
      if (is_value) item["detail"] = value_type(analysis, member.value());
      return;
    }
    const Definition& definition = index.definition(*id);
    const bool is_own = definition.name.range.file == analysis.root().id;
    const char group = !is_own ? '2' : is_local(definition.kind) ? '0' : '1';
    Json& item = add(label, completion_number(definition.kind), group);
    item["detail"] = describe(analysis, definition, member);
    const std::string_view text = documentation(index, *id);
    if (!text.empty()) item["documentation"] = {{"kind", "markdown"}, {"value", text}};
  }

  void add_snippets() {
    for (const Snippet& snippet : snippets) {
      Json& item = add(snippet.label, snippet_kind, '4');
      item["detail"] = snippet.detail;
      item["insertTextFormat"] = snippet_format;
      item["textEdit"]["newText"] = snippet.text;
    }
  }

  // Fields of a record, or constructors of a sum.
  bool add_parts(const Analysis& analysis, Span wanted) {
    const ast::Exp* found = nullptr;
    const auto is_wanted = [&](const Range& range) {
      return analysis.is_root(range) && range.begin <= wanted.begin && wanted.end <= range.end;
    };
    Visitor visitor;
    visitor.expression = [&](const ast::Exp& exp) {
      const auto* project = as<ast::Project>(exp.node);
      const auto* construct = as<ast::Construct>(exp.node);
      if (project != nullptr && is_wanted(project->field.range)) found = &exp;
      if (construct != nullptr && is_wanted(construct->constructor.range)) found = &exp;
    };
    walk(analysis.root(), visitor);
    if (found == nullptr) return false;
    if (const auto* project = as<ast::Project>(found->node)) {
      add_fields(analysis, project->record->type);
    } else {
      add_constructors(analysis, found->type);
    }
    return true;
  }

  void add_fields(const Analysis& analysis, const check::Type* type) {
    const auto* record = type == nullptr ? nullptr : as<check::Record>(type->node);
    if (record == nullptr) return;
    for (const auto& [name, field] : record->fields) {
      Json& item = add(std::string(analysis.names().text(name)), field_kind, '0');
      item["detail"] = type_text(analysis, field);
    }
  }

  void add_constructors(const Analysis& analysis, const check::Type* type) {
    const auto* sum = type == nullptr ? nullptr : as<check::Sum>(type->node);
    if (sum == nullptr) return;
    for (const auto& [name, payload] : sum->constructors) {
      Json& item = add(std::string(analysis.names().text(name)), enum_member_kind, '0');
      std::string detail = "#" + std::string(analysis.names().text(name));
      for (const check::Type* part : payload) detail += " " + type_text(analysis, part);
      item["detail"] = detail;
    }
  }

  const Query& query_;
  const std::string& text_;
  Span word_;
  Json items_ = Json::array();
};

}  // namespace

Json completion(const Query& query) { return Completion(query).run(); }

}  // namespace dagaz::tools::lsp
