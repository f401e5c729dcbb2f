// Functions, entry points and programs of the array IR.
#pragma once

#include <string>
#include <vector>

#include "ir/ops.h"
#include "ir/settings.h"
#include "support/source.h"

namespace dagaz::ir {

/// A source position, and where the code around it was inlined: following `inlined_at` gives the
/// chain of calls that error messages show.
struct Location {
  Range range;
  LocationId inlined_at;
};

/// What a function brings its one array in ascending order of, if it does nothing else.  The host of
/// a CPU has the runtime do that; the body is for everybody else.  Integers have a sign or not; the
/// order of floats is total (-0 before +0, and NaNs behind infinity, those with a sign last).
enum class Sorts : std::uint8_t { no, unsigned_numbers, signed_numbers };

struct Function {
  std::string name;
  std::vector<Binder> parameters;
  std::vector<bool> consumes;      // per parameter
  std::vector<Type> result_types;  // may mention parameters, and as in Branch earlier results
  Body body;
  bool noinline = false;  // calls stay calls wherever what is called can run
  Sorts sorts = Sorts::no;
};

// ---------------------------------------------------------------- the C interface

/// Element types as the outside sees them, with signs; the order is that of dz_element in abi.h.
enum class ExternalElement : std::uint8_t {
  boolean, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64
};
struct ExternalLeaf {
  ExternalElement element;
  int rank;
  DZ_FIELDS(element, rank)
};
enum class ExternalKind : std::uint8_t { scalar, array, record, sum, opaque_array, opaque };
/// A field of a record, or a constructor of a sum with the place of each payload leaf.
struct ExternalMember {
  std::string name;
  std::vector<int> types;       // indices into Program::external_types
  std::vector<int> leaf_index;  // sums: which leaf of the sum holds each leaf of the payloads
  DZ_FIELDS(name, types, leaf_index)
};
/// A type visible at an entry point, as dz_type in runtime/abi.h.
struct ExternalType {
  std::string name;    // "[][]f64", "params"
  std::string c_name;  // "f64_2d", "params"
  ExternalKind kind;
  std::vector<ExternalLeaf> leaves;
  std::vector<ExternalMember> members;
  int element_type = -1;  // opaque_array
  int rank = 0;
  DZ_FIELDS(name, c_name, kind, leaves, members, element_type, rank)
};
struct ExternalValue {
  std::string name;
  int type;
  bool unique;
  DZ_FIELDS(name, type, unique)
};
/// What the program says of an array that is a parameter of the entry point's function: ranks share
/// its elements along `dimension`, or all have it whole.
struct RankHint {
  int parameter;
  int dimension = 0;
  bool replicated = false;
  DZ_FIELDS(parameter, dimension, replicated)
};

/// The function's parameters are the inputs' leaves in order, *preceded by nothing*: sizes are
/// read from the arrays' shapes.  A parameter's type mentions size names that are parameters of
/// the function, listed first (`size_parameters` of them, each an i64).  For every such size the
/// caller passes the dimension where it occurs first among the inputs' leaves; dimensions that
/// occur again are compared by the wrapper, which reports a mismatch.
/// The results are the outputs' leaves, preceded by the sizes that their types mention and that
/// are not parameters (`size_results` of them).
struct EntryPoint {
  std::string name;
  std::string documentation;
  std::string function;
  int size_parameters = 0;
  int size_results = 0;
  std::vector<ExternalValue> inputs;
  std::vector<ExternalValue> outputs;
  std::vector<RankHint> hints = {};
  DZ_FIELDS(name, documentation, function, size_parameters, size_results, inputs, outputs, hints)
};

struct Program {
  Names names;
  std::vector<Location> locations;
  std::vector<Function> functions;
  std::vector<EntryPoint> entries;
  std::vector<ExternalType> external_types;
};

/// Stages as types: a pass says what it needs and gives, and cannot be called out of order.
struct ParallelProgram { Program program; };
struct FlatProgram { Program program; };
struct PlannedProgram {
  Program program;
  Settings settings;
};

}  // namespace dagaz::ir
