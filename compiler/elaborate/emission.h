// The statements that elaboration emits: where they go, what is asked of them and what guards them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "elaborate/value.h"
#include "ir/builder.h"
#include "ir/names.h"
#include "support/diagnostic.h"

namespace dagaz::elaborate {

/// Thrown after a diagnostic was reported; ends the elaboration of one entry point.
struct Abandoned {};

/// What attributes ask of the statement that the attributed expression produces.
struct Request {
  ir::ModeRequest mode = ir::ModeRequest::none;
  bool sequential = false;
  bool unroll = false;
  int stripmine = 0;
  std::optional<ir::Operand> bound = std::nullopt;
};

struct CalledFunction;

/// A constant of the program: of a parametric module there is one for each frame.
using ConstantPlace = std::pair<const ast::ValueDeclaration*, Frame*>;

/// One IR function under construction.
struct FunctionContext {
  ir::Builder top;
  std::vector<ir::NameId> top_tokens = {};
  std::map<ConstantPlace, ValueRef> constants = {};
  CalledFunction* called = nullptr;  // whose body this is, if any
  FunctionContext* outer = nullptr;
  ir::Substitution imported = {};  // the globals, and by which names they are known here
};

struct Emission {
  Emission(const SourceFiles& sources, Diagnostics& sink) : files(sources), diagnostics(sink) {}

  [[noreturn]] void unsupported(const Range& where, std::string message);
  [[noreturn]] void refuse_irregular_map();
  /// Whether this is the library's text.
  bool is_in_library(const Range& where) const;
  ir::Names& names() { return ir_program.names; }
  ir::Operand scalar(ir::ScalarOp op, ir::ScalarType type, std::vector<ir::Operand> arguments);
  std::vector<ir::NameId> emit(ir::Operation operation);
  ir::NameId emit_one(ir::Operation operation);
  /// A statement whose results have been named already.
  void emit_named(const std::vector<ir::NameId>& results, ir::Operation operation);
  /// The token of an assert, or nothing if the condition is known to hold or #[unsafe] is on.
  /// `message` holds a {} for each argument.
  std::optional<ir::NameId> check(ir::Operand condition, std::string message,
                                  std::vector<ir::Operand> arguments = {});
  ir::NameId assert_that(ir::Operand condition, std::string message,
                         std::vector<ir::Operand> arguments);
  void warn_of_check(std::string failure);
  ir::Operand logical_and(ir::Operand a, ir::Operand b);
  ir::Operand logical_or(ir::Operand a, ir::Operand b);
  ir::Operand logical_not(ir::Operand a);
  ir::Operand compare_i64(ir::ScalarOp op, ir::Operand a, ir::Operand b);
  /// What `build` emits, as a body whose results are what it returns.
  ir::Body nested_body(const std::function<std::vector<ir::Operand>()>& build);
  using LambdaBody = std::function<std::vector<ir::Operand>(const std::vector<ir::NameId>&)>;
  /// A lambda; attributes of the surroundings do not reach into it.
  ir::Lambda lambda(const std::vector<ir::Type>& parameters, std::vector<ir::Type> results,
                    const LambdaBody& build);
  std::vector<ir::NameId> fresh(const std::vector<ir::Type>& types);
  ir::NameId array_name(const ir::Operand& operand);
  /// The function of the program that is made, or null.
  ir::Function* function_named(const std::string& name);
  /// Makes `builder` guard what follows by `tokens`.
  void retoken(ir::Builder& builder);
  /// Runs `build` at the top level of the current IR function.
  ValueRef at_top_level(const std::function<ValueRef()>& build);

  const SourceFiles& files;
  Diagnostics& diagnostics;
  ir::Program ir_program;
  FunctionContext* context = nullptr;  // of the function under construction
  ir::Builder* out = nullptr;          // where statements go
  std::vector<ir::NameId> tokens;      // asserts that guard what is being built
  ir::LocationId inlined_at;           // the call whose body is being elaborated
  Range range;                         // of the expression being elaborated
  Request request;
  bool is_unsafe = false;
  Range watched;                       // #[warn(safety_checks)] around it, if any
  std::string hint = "x";              // base for the names of results
  std::size_t consuming_operations = 0;  // emitted so far, of those that may consume an array
};

/// Says where the statements emitted while it lives come from.
class At {
 public:
  At(Emission& emission, const Range& range);
  ~At();
  At(const At&) = delete;
  At& operator=(const At&) = delete;

 private:
  Emission& emission_;
  ir::Builder* out_;
  ir::LocationId location_;
  Range range_;
};

/// Guards the statements emitted while it lives by a token, if there is one.
class Guarded {
 public:
  Guarded(Emission& emission, std::optional<ir::NameId> token);
  ~Guarded();
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

 private:
  Emission& emission_;
  ir::Builder* out_;
  bool added_;
};

/// Sets a member of what elaborates and puts the old value back at the end.
template <typename T>
class Temporarily {
 public:
  Temporarily(T& place, T value) : place_(place), saved_(std::move(place)) {
    place_ = std::move(value);
  }
  ~Temporarily() { place_ = std::move(saved_); }
  Temporarily(const Temporarily&) = delete;
  Temporarily& operator=(const Temporarily&) = delete;

 private:
  T& place_;
  T saved_;
};

}  // namespace dagaz::elaborate
