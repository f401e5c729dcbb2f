// See scope.h.
#include "check/scope.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "check/newcomers.h"
#include "support/suggest_spelling.h"

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

static bool is_word(std::string_view text) {
  return std::isalpha(static_cast<unsigned char>(text.front())) != 0 || text.front() == '_';
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
  Spelling similar(spelling);
  const auto consider = [&](Symbol other) {
    const std::string_view text = context_.text(other);
    if (is_word(text) == is_word(spelling) && !text.starts_with('_')) similar.consider(text);
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
  if (module == nullptr && space == NameSpace::type) {
    hint_at_unknown_type(d, spelling, name.range);
  }
  if (module == nullptr && space == NameSpace::term) {
    hint_at_number_module(d, name);
    hint_at_unknown_value(d, context_, spelling, name.range);
  }
  // What is known by another name is not misspelt.
  if (d.hints.empty()) suggest_spelling(d, name.range, similar);
}

/// Functions of numbers that are members of the modules for their types.
void Scope::hint_at_number_module(Diagnostic& d, const ast::Name& name) {
  const std::string spelling(context_.text(name.symbol));
  for (const char* number : {"f64", "i64"}) {
    const Member member = find(NameSpace::term, context_.names.intern(number));
    if (member.kind != MemberKind::module) continue;
    const ModuleInfo* module = context_.modules[member.module()];
    if (module->members.find(NameSpace::term, name.symbol).kind != MemberKind::value) continue;
    const std::string meant = std::string(number) + "." + spelling;
    d.hints.emplace_back("each type of number has its own: `" + meant + "`",
                         std::vector<Edit>{{name.range, meant}}, Applicability::possible);
    return;
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
