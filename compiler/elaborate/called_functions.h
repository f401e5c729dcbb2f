// Functions of the program that become functions of the IR: recursive ones and others that are
// called, not evaluated in place; called_functions.cpp says how.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "elaborate/emission.h"
#include "elaborate/open_type.h"

namespace dagaz::elaborate {

class Elaborator;

/// Such a function for some static arguments.
struct CalledFunction {
  std::string name;
  const ast::ValueDeclaration* declaration = nullptr;
  InstanceHere here;
  OpenParameters parameters;
  std::vector<bool> consumes;
  ir::Lambda body = {};              // until the group is finished
  std::vector<ir::NameId> captured;  // names around the first call, once the group is finished
  bool noinline = false;
  ir::Sorts sorts = ir::Sorts::no;
  bool finished = false;             // part of the program
};

class CalledFunctions {
 public:
  explicit CalledFunctions(Elaborator& e) : e_(e) {}

  ValueRef call(Closure closure, std::span<const ValueRef> arguments);
  /// How many functions are being built around here.
  int depth() const;

 private:
  CalledFunction& function_for(const Closure& closure, std::span<const ValueRef> arguments);
  void build(CalledFunction& function, const Closure& closure,
             std::span<const ValueRef> arguments);
  /// `value` with its functions unguarded, whose tokens are added to `guards`: tokens are no
  /// parameters, so the call is guarded instead.
  ValueRef without_guards(ValueRef value, std::vector<ir::NameId>& guards);
  /// Completes the functions that may call each other and adds them to the program.
  void finish_group();
  /// Binds the parameters in the body's frame; the type of the body's result.
  OpenType bind_parameters(CalledFunction& function, const Closure& closure,
                           std::span<const ValueRef> arguments);
  /// A value of the same structure as `like` with other leaves; static parts are kept.
  ValueRef with_leaves(ValueRef like, TypeRef type, const ir::NameId*& leaves);

  Elaborator& e_;
  std::map<std::vector<std::uint64_t>, CalledFunction*> functions_;
  std::deque<CalledFunction> storage_;
  std::vector<CalledFunction*> group_;  // built, not finished
};

}  // namespace dagaz::elaborate
