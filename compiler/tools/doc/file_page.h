// What one file defines.
#pragma once

#include <string>
#include <vector>

#include "query/analysis.h"
#include "tools/doc/code.h"
#include "tools/doc/places.h"
#include "tools/doc/site.h"

namespace dagaz::tools::doc {

class FilePage {
 public:
  /// What the search finds.
  struct Entry { std::string name, kind, address, summary; };

  FilePage(const query::Analysis& analysis, const Places& places, const Code& code,
           const ast::File& file);

  const std::string& html() const { return html_; }
  const std::vector<Entry>& entries() const { return entries_; }
  const std::vector<BrokenReference>& broken() const { return broken_; }

 private:
  void declarations(const std::vector<ast::Declaration*>& list, const std::string& scope);
  void declaration(const ast::Declaration& declaration, const std::string& scope);
  void value(const ast::ValueDeclaration& value, const ast::Declaration& declaration,
             const std::string& scope);
  void module(const ast::ModuleDeclaration& module, const ast::Declaration& declaration,
              const std::string& scope);
  void signature(const ast::SignatureDeclaration& signature, const ast::Declaration& declaration,
                 const std::string& scope);
  void members(const ast::ModuleExp& module, const std::string& scope);
  void members(const ast::SignatureExp& signature, const std::string& scope);
  void spec(const ast::Spec& spec, const std::string& scope);

  /// One declaration: `head` as text of the program, and behind it `more` of ours.
  void begin(const ast::Name& name, const char* kind, const Range& head, const std::string& more,
             const std::string& documentation, const std::string& scope);
  void end() { html_ += "</section>\n"; }
  std::string markdown(const std::string& text, const std::string& scope, const Range& place);
  std::string notes(const ast::ValueDeclaration& value) const;
  std::string inferred_result(const ast::ValueDeclaration& value) const;

  const query::Analysis& analysis_;
  const Places& places_;
  const Code& code_;
  const ast::File& file_;
  std::string page_;
  std::string html_;
  std::vector<Entry> entries_;
  std::vector<BrokenReference> broken_;
};

}  // namespace dagaz::tools::doc
