// The types that the checker found, behind names that have none in the text; and at the ends of
// lines how what is on them is differentiated.
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "support/match.h"
#include "tools/lsp/requests.h"

namespace dagaz::tools::lsp {

namespace {

constexpr int type_hint = 1;
constexpr std::size_t longest = 60;

class Hints {
 public:
  explicit Hints(const Query& query)
      : query_(query), analysis_(query.snapshot.analysis()), begin_(0), end_(0) {
    const Json& range = query.params.at("range");
    begin_ = offset(range.at("start"));
    end_ = offset(range.at("end"));
  }

  Json run() {
    Visitor visitor;
    visitor.pattern = [&](const ast::Pattern& pattern) {
      if (const auto* ascribed = as<ast::AscribedPattern>(pattern.node)) {
        ascribed_ = ascribed->pattern->range;
      }
    };
    visitor.definition = [&](const Definition& definition) { visit(definition); };
    walk(analysis_.root(), visitor);
    add_derivatives();
    return std::move(result_);
  }

 private:
  std::uint32_t offset(const Json& place) const {
    return query_.snapshot.lines().offset(
        {place.at("line").get<std::uint32_t>(), place.at("character").get<std::uint32_t>()});
  }

  void visit(const Definition& definition) {
    switch (definition.kind) {
      case SymbolKind::function:
      case SymbolKind::constant:
      case SymbolKind::entry: return declaration(definition);
      case SymbolKind::parameter:
      case SymbolKind::local: return name(definition);
      case SymbolKind::local_function:
      case SymbolKind::size:
      case SymbolKind::type:
      case SymbolKind::type_parameter:
      case SymbolKind::module:
      case SymbolKind::signature: return;
    }
  }

  // What was found out about a declaration with mistakes may be wrong.
  bool is_known(BindingId id) const {
    return id.valid() && analysis_.context().values.contains(id) &&
           analysis_.context().values[id].kind != check::ValueKind::unusable;
  }

  void declaration(const Definition& definition) {
    is_in_sound_ = definition.function != nullptr && is_known(definition.value);
    if (!is_in_sound_ || definition.function->result_type != nullptr) return;
    const ast::Function& function = *definition.function;
    const check::Scheme* scheme = analysis_.context().values[definition.value].scheme;
    if (scheme == nullptr) return;
    const check::Type* type = scheme->type;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      const auto* arrow = as<check::Arrow>(type->node);
      if (arrow == nullptr) return;
      type = arrow->to;
    }
    std::uint32_t at = definition.name.range.end;
    for (const ast::TypeParameter& p : function.type_parameters) at = std::max(at, p.range.end);
    for (const ast::Pattern* p : function.parameters) at = std::max(at, p->range.end);
    add(at, type_text(analysis_, type));
  }

  void name(const Definition& definition) {
    const Range& range = definition.name.range;
    const bool is_ascribed = ascribed_.valid() && ascribed_.file == range.file &&
                             ascribed_.begin <= range.begin && range.end <= ascribed_.end;
    if (is_ascribed || !is_in_sound_ || !is_known(definition.value)) return;
    add(range.end, value_type(analysis_, definition.value));
  }

  void add(std::uint32_t at, const std::string& type) {
    if (type.empty() || at < begin_ || end_ < at) return;
    const bool is_long = type.size() > longest;
    Json hint{{"position", place_json(query_.snapshot.lines().place(at))},
              {"label", ": " + (is_long ? std::string("…") : type)},
              {"kind", type_hint}};
    if (is_long) hint["tooltip"] = type;
    result_.push_back(std::move(hint));
  }

  // What is differentiated on one line.
  struct Line {
    std::vector<std::string> modes;
    std::vector<std::string> reasons;
  };

  static void add_once(std::vector<std::string>& all, std::string one) {
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(std::move(one));
  }

  static std::string joined(const std::vector<std::string>& parts, std::string_view between) {
    std::string all;
    for (const std::string& part : parts) {
      if (!all.empty()) all += between;
      all += part;
    }
    return all;
  }

  void add_derivatives() {
    const std::string_view text = analysis_.root_text();
    std::map<std::uint32_t, Line> lines;  // by their ends
    for (const DerivativeNote& note : query_.snapshot.derivatives(query_.workspace)) {
      const std::size_t end = std::min(text.find('\n', note.begin), text.size());
      if (end < begin_ || end_ < note.begin) continue;
      Line& line = lines[static_cast<std::uint32_t>(end)];
      add_once(line.modes, note.construct + " " + note.mode);
      add_once(line.reasons, note.construct + ": " + note.mode + " mode: " + note.reason);
    }
    for (const auto& [end, line] : lines) {
      std::string label = joined(line.modes, ", ");
      if (label.size() > longest) label = "…";
      result_.push_back({{"position", place_json(query_.snapshot.lines().place(end))},
                         {"label", "∂ " + label},
                         {"paddingLeft", true},
                         {"tooltip", joined(line.reasons, "\n")}});
    }
  }

  const Query& query_;
  const Analysis& analysis_;
  std::uint32_t begin_;
  std::uint32_t end_;
  Range ascribed_;
  bool is_in_sound_ = false;
  Json result_ = Json::array();
};

}  // namespace

Json inlay_hints(const Query& query) { return Hints(query).run(); }

}  // namespace dagaz::tools::lsp
