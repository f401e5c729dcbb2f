// Constants of the program and its tuning parameters; constants.cpp says what becomes of them.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "elaborate/emission.h"

namespace dagaz::elaborate {

class Elaborator;

/// `#[param(name)]`: names in the function that computes the globals.
struct TuningParameter { std::string name; ir::NameId is_set; ir::NameId value; };

/// What all entry points share.
struct Globals {
  FunctionContext context;                       // of the function that computes them
  std::vector<ir::NameId> names = {};            // in that function, in order of first use
  std::vector<TuningParameter> tuning = {};
  std::map<ConstantPlace, ValueRef> values = {}; // null: elaborated where it is used
  std::unordered_map<ir::NameId, ir::NameId> origins = {};  // from imported names

  bool is_tuning(ir::NameId name) const;
};

class Constants {
 public:
  explicit Constants(Elaborator& e);

  ValueRef evaluate(const DelayedConstant& constant);
  /// `exp`, unless the tuning parameter is set; other types than i64 have none.
  ValueRef tuning_parameter(const std::string& name, const ast::Exp* exp, Frame* frame);
  /// The name of a global that another entry point may have imported in the current function;
  /// other names stay.
  ir::NameId imported_here(ir::NameId name);
  /// Keeps what an entry point imported, until all globals are known.
  void finish_entry(const std::string& function, FunctionContext entry);
  /// Adds the function that computes the globals, and these to all entry points.
  void finish();

 private:
  ValueRef build(const DelayedConstant& constant);
  /// The constant as a global; null if it is to be elaborated here.
  ValueRef global_value(const DelayedConstant& constant);
  ValueRef make_global(const DelayedConstant& constant);
  /// The entry point, or the function of the globals, whose body is being elaborated.
  FunctionContext& root_context();
  /// The name of a global in the current function.
  ir::NameId import(ir::NameId global);
  ValueRef import_value(ValueRef value);
  void add_globals(ir::Function& function, FunctionContext& entry);

  Elaborator& e_;
  Globals globals_;
  std::deque<std::pair<std::string, FunctionContext>> finished_entries_;  // by function
};

}  // namespace dagaz::elaborate
