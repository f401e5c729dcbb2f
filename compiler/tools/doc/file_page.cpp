// Declarations in the order of the file, as they are written there, with what the checker adds:
// types that were left out, and which arguments a function consumes.
#include "tools/doc/file_page.h"

#include "check/print_type.h"
#include "support/markup.h"
#include "support/match.h"
#include "tools/doc/html.h"
#include "tools/doc/markdown.h"

namespace dagaz::tools::doc {

using query::Analysis;

FilePage::FilePage(const Analysis& analysis, const Places& places, const Code& code,
                   const ast::File& file)
    : analysis_(analysis),
      places_(places),
      code_(code),
      file_(file),
      page_(documentation_page(places.stem(file.id))) {
  html_ = "<h1>" + escape_markup(places.stem(file.id)) + "</h1>\n";
  const Range whole{file.id, 0, 0};
  if (!file.documentation.empty()) {
    html_ += "<div class=\"text\">" + markdown(file.documentation, "", whole) + "</div>\n";
  }
  declarations(file.declarations, "");
}

void FilePage::declarations(const std::vector<ast::Declaration*>& list, const std::string& scope) {
  for (const ast::Declaration* d : list) declaration(*d, scope);
}

void FilePage::declaration(const ast::Declaration& d, const std::string& scope) {
  match(
      d.node, [&](const ast::ValueDeclaration& v) { value(v, d, scope); },
      [&](const ast::TypeDeclaration& t) {
        Range whole = code_.head(d.range.begin, d.range.end);
        whole.end = d.range.end;
        begin(t.name, "type", whole, "", d.documentation, scope);
        end();
      },
      [&](const ast::ModuleDeclaration& m) { module(m, d, scope); },
      [&](const ast::SignatureDeclaration& s) { signature(s, d, scope); },
      [&](const ast::OpenDeclaration& o) {
        members(*o.module, scope);
        if (as<ast::ModuleImport>(o.module->node) || as<ast::ModuleBody>(o.module->node)) return;
        html_ += "<p class=\"note\">and all of <code>" +
                 code_.html(o.module->range, page_) + "</code></p>\n";
      },
      [](const ast::LocalDeclaration&) {});
}

std::string FilePage::inferred_result(const ast::ValueDeclaration& v) const {
  if (v.function.result_type != nullptr || v.scheme == nullptr) return "";
  const check::Type* type = v.scheme->type;
  for (std::size_t i = 0; i < v.function.parameters.size(); ++i) {
    const auto* arrow = as<check::Arrow>(type->node);
    if (arrow == nullptr) return "";
    type = arrow->to;
  }
  return " : " + check::print_type(analysis_.context(), type);
}

std::string FilePage::notes(const ast::ValueDeclaration& v) const {
  std::string result;
  if (v.is_entry) result += "An entry point. ";
  const check::Type* type = v.scheme == nullptr ? nullptr : v.scheme->type;
  std::string consumed;
  for (std::size_t i = 0; type != nullptr && i < v.function.parameters.size(); ++i) {
    const auto* arrow = as<check::Arrow>(type->node);
    if (arrow == nullptr) break;
    if (arrow->consumes) {
      const ast::Pattern* pattern = v.function.parameters[i];
      while (const auto* a = as<ast::AscribedPattern>(pattern->node)) pattern = a->pattern;
      const std::string_view text = analysis_.files().text(pattern->range);
      consumed += (consumed.empty() ? "" : ", ") + ("<code>" + escape_markup(text) + "</code>");
    }
    type = arrow->to;
  }
  if (!consumed.empty()) result += "Consumes " + consumed + ".";
  return result.empty() ? "" : "<p class=\"note\">" + result + "</p>\n";
}

void FilePage::value(const ast::ValueDeclaration& v, const ast::Declaration& d,
                     const std::string& scope) {
  const char* kind = v.is_entry ? "entry" : v.function.parameters.empty() ? "value" : "function";
  begin(v.name, kind, code_.head(d.range.begin, d.range.end), inferred_result(v), d.documentation,
        scope);
  html_ += notes(v);
  end();
}

void FilePage::module(const ast::ModuleDeclaration& m, const ast::Declaration& d,
                      const std::string& scope) {
  const bool has_body = as<ast::ModuleBody>(m.body->node) != nullptr;
  Range head = code_.head(d.range.begin, d.range.end);
  if (m.signature != nullptr) {
    head.end = m.signature->range.end;
  } else if (!has_body) {
    head.end = d.range.end;
  }
  begin(m.name, "module", head, "", d.documentation, scope);
  const std::string name(analysis_.names().text(m.name.symbol));
  members(*m.body, scope.empty() ? name : scope + "." + name);
  end();
}

void FilePage::signature(const ast::SignatureDeclaration& s, const ast::Declaration& d,
                         const std::string& scope) {
  const bool has_body = as<ast::SignatureBody>(s.signature->node) != nullptr;
  Range head = code_.head(d.range.begin, d.range.end);
  if (!has_body) head.end = d.range.end;
  begin(s.name, "module type", head, "", d.documentation, scope);
  const std::string name(analysis_.names().text(s.name.symbol));
  if (has_body) members(*s.signature, scope.empty() ? name : scope + "." + name);
  end();
}

void FilePage::members(const ast::ModuleExp& m, const std::string& scope) {
  if (const auto* body = as<ast::ModuleBody>(m.node)) {
    declarations(body->declarations, scope);
  } else if (const auto* ascription = as<ast::ModuleAscription>(m.node)) {
    members(*ascription->module, scope);
  }
}

void FilePage::members(const ast::SignatureExp& s, const std::string& scope) {
  if (const auto* body = as<ast::SignatureBody>(s.node)) {
    for (const ast::Spec& each : body->specs) spec(each, scope);
  }
}

void FilePage::spec(const ast::Spec& s, const std::string& scope) {
  match(
      s.node,
      [&](const ast::ValueSpec& v) {
        begin(v.name, "value", s.range, "", s.documentation, scope);
        end();
      },
      [&](const ast::TypeSpec& t) {
        begin(t.name, "type", s.range, "", s.documentation, scope);
        end();
      },
      [&](const ast::ModuleSpec& m) {
        const bool has_body = as<ast::SignatureBody>(m.signature->node) != nullptr;
        Range head = s.range;
        if (has_body) head.end = m.name.range.end;
        begin(m.name, "module", head, "", s.documentation, scope);
        const std::string name(analysis_.names().text(m.name.symbol));
        members(*m.signature, scope.empty() ? name : scope + "." + name);
        end();
      },
      [&](const ast::IncludeSpec& i) {
        html_ += "<p class=\"note\">and all of <code>" + code_.html(i.signature->range, page_) +
                 "</code></p>\n";
      });
}

std::string FilePage::markdown(const std::string& text, const std::string& scope,
                               const Range& place) {
  const auto resolve = [&](const std::string& name, const std::string& kind) -> std::string {
    const auto target = places_.resolve(name, kind, file_.id, scope);
    if (!target) return "";
    return (target->page == page_ ? "" : relative_address(page_, target->page)) + "#" +
           escape_address(target->anchor);
  };
  const auto report = [&](const std::string& reference) {
    broken_.push_back({analysis_.files().describe(place), reference});
  };
  return render_markdown(text, resolve, report);
}

void FilePage::begin(const ast::Name& name, const char* kind, const Range& head,
                     const std::string& more, const std::string& documentation,
                     const std::string& scope) {
  const std::string anchor = places_.anchor(name.range);
  const std::string spelling(analysis_.names().text(name.symbol));
  const std::string full = scope.empty() ? spelling : scope + "." + spelling;
  const std::uint32_t line = analysis_.files().file(file_.id).position(name.range.begin).line;
  const std::string source = relative_address(page_, source_page(places_.stem(file_.id)));
  html_ += "<section id=\"" + escape_markup(anchor) + "\">\n<a class=\"source\" href=\"" + source +
           "#L" + std::to_string(line) + "\">source</a>\n<pre class=\"head\">" +
           code_.html(head, page_) + escape_markup(more) + "</pre>\n";
  if (!documentation.empty()) {
    html_ += "<div class=\"text\">" + markdown(documentation, scope, name.range) + "</div>\n";
  }
  entries_.push_back({full, kind, escape_address(page_) + "#" + escape_address(anchor),
                      first_sentence(documentation)});
}

}  // namespace dagaz::tools::doc
