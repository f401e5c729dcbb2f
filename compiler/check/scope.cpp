// See scope.h.
#include "check/scope.h"

#include <algorithm>
#include <string>

namespace dagaz::check {

void Scope::bind(NameSpace space, Symbol name, Member member) {
  std::vector<Member>& members = table(space);
  if (name.index >= members.size()) {
    members.resize(std::max<std::size_t>(context_.names.size(), name.index + std::size_t{1}));
  }
  trail_.push_back({space, name, members[name.index]});
  members[name.index] = member;
}

void Scope::undo(Mark mark) {
  while (trail_.size() > mark) {
    const Change& change = trail_.back();
    table(change.space)[change.name.index] = change.before;
    trail_.pop_back();
  }
}

void Scope::open(const Environment& environment) {
  for (const Environment::Item& item : environment.items()) {
    bind(item.space, item.name, item.member);
  }
}

Member Scope::find(NameSpace space, Symbol name) const {
  const std::vector<Member>& members = tables_[static_cast<std::size_t>(space)];
  return name.index < members.size() ? members[name.index] : Member{};
}

void Scope::note_visible(NameSpace space, const ModuleInfo* module) {
  NameRecord& record = *context_.record;
  record.visible.clear();
  record.found = true;
  if (module != nullptr) {
    for (std::size_t i = 0; i < module->members.items().size(); ++i) {
      const Environment::Item& item = module->members.items()[i];
      const bool fits = item.space == space || item.member.kind == MemberKind::module;
      if (fits && module->members.is_visible(i)) {
        record.visible.push_back({item.space, item.name, item.member});
      }
    }
    return;
  }
  for (const NameSpace each : {NameSpace::term, NameSpace::type, NameSpace::signature}) {
    const std::vector<Member>& members = table(each);
    for (std::size_t i = 0; i < members.size(); ++i) {
      const bool fits = each == space || members[i].kind == MemberKind::module;
      if (!fits || members[i].kind == MemberKind::none) continue;
      record.visible.push_back({each, Symbol(i), members[i]});
    }
  }
}

/// The edit distance of two words, for suggestions.
static std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

static const char* description(NameSpace space) {
  switch (space) {
    case NameSpace::term: return "name";
    case NameSpace::type: return "type";
    case NameSpace::signature: return "module type";
  }
  return "";
}

void Scope::report_unknown(NameSpace space, const ast::Name& name, const ModuleInfo* module) {
  const std::string spelling(context_.text(name.symbol));
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(spelling.size() / 3, 1) + 1;
  const auto consider = [&](Symbol other) {
    const std::string_view text = context_.text(other);
    const std::size_t d = distance(spelling, text);
    if (d < best_distance) {
      best_distance = d;
      best = text;
    }
  };
  if (module != nullptr) {
    for (const auto& item : module->members.items()) {
      if (item.space == space) consider(item.name);
    }
  } else {
    const std::vector<Member>& members = table(space);
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (members[i].kind != MemberKind::none) consider(Symbol(i));
    }
  }
  std::string where;
  if (module != nullptr && module->name.valid()) {
    where = " in module `" + std::string(context_.text(module->name)) + "`";
  }
  Diagnostic& d = context_.diagnostics.report(
      DiagnosticKind::unknown_name, name.range,
      std::string("unknown ") + description(space) + " `" + spelling + "`" + where);
  const auto below = announced_.find(name.symbol);
  if (module == nullptr && space == NameSpace::term && below != announced_.end() &&
      below->second.file == name.range.file && below->second.begin > name.range.begin) {
    d.labels.push_back({below->second, "it is defined here, below its use"});
    d.hints.emplace_back("a definition sees what stands above it, and a function itself; two "
                         "functions cannot call each other");
    return;
  }
  if (!best.empty()) d.hints.push_back("a similar name exists: `" + best + "`");
  if (module == nullptr && space == NameSpace::term) hint_at_unknown(d, name.symbol);
}

/// What newcomers look for elsewhere.
void Scope::hint_at_unknown(Diagnostic& d, Symbol name) {
  const std::string spelling(context_.text(name));
  for (const char* number : {"f64", "i64"}) {
    const Member member = find(NameSpace::term, context_.names.intern(number));
    if (member.kind != MemberKind::module) continue;
    const ModuleInfo* module = context_.modules[member.module()];
    if (module->members.find(NameSpace::term, name).kind != MemberKind::value) continue;
    d.hints.push_back("each type of number has its own: `" + std::string(number) + "." + spelling +
                      "`");
    return;
  }
  if (spelling == "fst" || spelling == "snd") {
    d.hints.emplace_back("the parts of a pair `p` are `p.0` and `p.1`");
  } else if (spelling == "mod" || spelling == "rem") {
    d.hints.emplace_back("the remainder of a division is `x % y`");
  } else if (spelling == "div") {
    d.hints.emplace_back("`x / y` divides integers, too");
  }
}

const ModuleInfo* Scope::find_module(const std::vector<ast::Name>& qualifiers) {
  const ModuleInfo* module = nullptr;
  for (const ast::Name& q : qualifiers) {
    const Member member = module == nullptr ? find(NameSpace::term, q.symbol)
                                            : module->members.find(NameSpace::term, q.symbol);
    context_.note_use(q.range, member);
    if (member.kind == MemberKind::none) {
      report_unknown(NameSpace::term, q, module);
      return nullptr;
    }
    if (member.kind != MemberKind::module) {
      context_.diagnostics.report(DiagnosticKind::not_a_module, q.range,
                                  "`" + std::string(context_.text(q.symbol)) +
                                      "` is a value, not a module");
      return nullptr;
    }
    module = context_.modules[member.module()];
    if (module->unusable) return nullptr;
    if (module->parameter != nullptr) {
      context_.diagnostics.report(DiagnosticKind::module_is_parametric, q.range,
                                  "module `" + std::string(context_.text(q.symbol)) +
                                      "` is parametric; apply it to an argument first");
      return nullptr;
    }
  }
  return module;
}

Member Scope::resolve(NameSpace space, const ast::QualifiedName& name) {
  const ModuleInfo* module = nullptr;
  if (!name.qualifiers.empty()) {
    module = find_module(name.qualifiers);
    if (module == nullptr) return {};
  }
  if (context_.is_wanted(name.name.range)) {
    note_visible(space, module);
    return {};
  }
  const Member member = module == nullptr ? find(space, name.name.symbol)
                                          : module->members.find(space, name.name.symbol);
  context_.note_use(name.name.range, member);
  if (member.kind == MemberKind::none) report_unknown(space, name.name, module);
  return member;
}

}  // namespace dagaz::check
