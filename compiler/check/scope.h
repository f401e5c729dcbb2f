// What a name means here: the lexical scope, and how written names are looked up in it.
#pragma once

#include <unordered_map>
#include <vector>

#include "check/context.h"

namespace dagaz::check {

/// A stack of bindings per spelling and name space.  Leaving a scope undoes what was bound since.
class Scope {
 public:
  explicit Scope(Context& context) : context_(context) {}

  using Mark = std::size_t;
  Mark mark() const { return trail_.size(); }
  void undo(Mark mark);

  void bind(NameSpace space, Symbol name, Member member);
  void bind_value(Symbol name, BindingId id) {
    bind(NameSpace::term, name, {MemberKind::value, id.index});
  }
  void bind_type(Symbol name, TypeNameId id) {
    bind(NameSpace::type, name, {MemberKind::type, id.index});
  }
  void bind_module(Symbol name, ModuleId id) {
    bind(NameSpace::term, name, {MemberKind::module, id.index});
  }
  void open(const Environment& environment);

  /// Says that `name` is defined at `range`, perhaps below what is being checked.
  void announce(Symbol name, const Range& range) { announced_[name] = range; }

  /// What `name` means, without a diagnostic.
  Member find(NameSpace space, Symbol name) const;

  /// The module that `qualifiers` lead to, or null after a diagnostic.  Empty qualifiers are not
  /// allowed.
  const ModuleInfo* find_module(const std::vector<ast::Name>& qualifiers);
  /// What `name` means; a member of kind `none` after a diagnostic.
  Member resolve(NameSpace space, const ast::QualifiedName& name);

  /// Undoes its bindings when it goes out of scope.
  class Frame {
   public:
    explicit Frame(Scope& scope) : scope_(scope), mark_(scope.mark()) {}
    ~Frame() { scope_.undo(mark_); }
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

   private:
    Scope& scope_;
    Mark mark_;
  };

 private:
  /// Tells a tool that asks what could stand at the name that is being written.
  void note_visible(NameSpace space, const ModuleInfo* module);
  void report_unknown(NameSpace space, const ast::Name& name, const ModuleInfo* module);
  void hint_at_number_module(Diagnostic& d, const ast::Name& name);
  std::vector<Member>& table(NameSpace space) { return tables_[static_cast<std::size_t>(space)]; }

  Context& context_;
  std::vector<Member> tables_[3];  // by symbol
  struct Change { NameSpace space; Symbol name; Member before; };
  std::vector<Change> trail_;
  std::unordered_map<Symbol, Range> announced_;  // values of files and modules, where defined
};

}  // namespace dagaz::check
