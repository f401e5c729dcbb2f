// The C interface of a program as data: which functions there are, their C types, and which
// generic function of runtime/api.h each one calls with which constants.  The C header, the
// wrappers in the object file and the manifest are all made from this one description.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/codegen.h"

namespace dagaz::codegen {

/// A C type and the letter of its machine type (runtime_calls.h).
struct CType {
  std::string text;
  char code;
};

struct CParameter {
  CType type;
  std::string name;
};

/// What a wrapper passes on.
struct CArgument {
  enum class Kind {
    parameter,  // parameter `number`
    number,     // the constant `number`, an int
    program,    // the address of the dz_program
    text,       // a constant string
    sizes,      // an array of the int64_t parameters `list`
    values      // an array of pointers to the parameters `list`: a scalar's own address, and
                // the pointer itself for anything else
  };
  Kind kind;
  int number = 0;
  std::string text = {};
  std::vector<int> list = {};
};

/// One function of the interface.
struct CFunction {
  CType result;
  std::string name;
  std::vector<CParameter> parameters;
  std::string callee;
  std::vector<CArgument> arguments;
  std::string documentation = {};
};

/// Functions that belong together, with the structs they are about.
struct CSection {
  std::string title;
  std::vector<std::string> structs;
  std::vector<CFunction> functions;
};

/// An array of scalars that the interface mentions.
struct CArray {
  ir::ExternalElement element;
  int rank;
  auto operator<=>(const CArray&) const = default;
};

std::vector<CSection> c_api(const tree::Program& program, const Options& options);

/// Arrays of scalars that the interface mentions, in order, each once.
std::vector<CArray> c_arrays(const tree::Program& program);
/// "f64", "u8", …
std::string element_name(ir::ExternalElement element);
/// "f64_2d"
std::string array_name(const CArray& array);
/// "[][]f64"
std::string array_type_name(const CArray& array);
/// What is particular to a type in the names of its functions: "f64_2d", "params".
std::string identifier_part(const ir::ExternalType& type);
/// "opaque_params"
std::string opaque_name(const ir::ExternalType& type);
bool is_opaque(const ir::ExternalType& type);
/// The C type of a value of the type: "double", "struct p_f64_1d *".
CType c_type(const ir::ExternalType& type, const Options& options);
/// The same for a parameter that is only read: a pointer is one to const.
CType c_input_type(const ir::ExternalType& type, const Options& options);
/// `name` with everything that C does not allow in an identifier spelled out.
std::string c_identifier(const std::string& name);
/// A parameter's name in C; empty where C has another use for it.
std::string c_parameter_name(const std::string& name);

}  // namespace dagaz::codegen
