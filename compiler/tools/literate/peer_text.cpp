// In the peer's layout a line break inside of a block is two spaces deeper than the text before it;
// on one line three spaces are left of it.  Parentheses are those that were written, and those that
// its table of precedences asks for, which differs from the grammar's.
#include "tools/literate/peer_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "support/match.h"
#include "syntax/parse.h"

namespace dagaz::tools::literate {

namespace {

constexpr int loose = -1;     // where anything may stand
constexpr int argument = 10;  // where only atoms may
constexpr int projected = 11;
constexpr std::string_view inside = "  ";  // what a block is indented by

struct Precedence {
  int left;
  int right;
};

// By the beginning of the operator, the longest first.
Precedence precedence(std::string_view operation) {
  struct Row {
    std::string_view begin;
    int level;
  };
  static constexpr std::array<Row, 27> rows{{
      {"<|", -1}, {"|>", -1}, {"||", 0}, {"&&", 0}, {">>", 3}, {"<<", 3},  {"<=", 2},
      {">=", 2},  {"==", 2},  {"!=", 2}, {"**", 6}, {"//", 5}, {"%%", 5},  {"|", 1},
      {"&", 1},   {"^", 1},   {"<", 2},  {">", 2},  {"+", 4},  {"-", 4},   {"*", 5},
      {"/", 5},   {"%", 5},   {"=", 2},  {"!", 2},  {".", 9},  {"", 9},
  }};
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const Row& one) { return operation.starts_with(one.begin); });
  if (row->begin == "-" || row->begin == "/") return {row->level, 10};
  if (row->begin == "<|") return {row->level, -1};
  return {row->level, row->level + 1};
}

bool is_symbol(std::string_view name) {
  return !name.empty() && std::string_view("+-*/%=!><|&^.").find(name[0]) != std::string_view::npos;
}

// As Haskell shows it: 0.1, 1.0e-2, 1.0e7.
std::string real(double value) {
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, std::fabs(value),
                                 std::chars_format::scientific);
  const std::string text(digits, end.ptr);
  const std::size_t e = text.find('e');
  int exponent = std::atoi(text.c_str() + e + 1);
  std::string mantissa = text.substr(0, e);
  std::erase(mantissa, '.');
  const std::string sign = std::signbit(value) ? "-" : "";
  if (!std::isfinite(value)) return sign + (std::isnan(value) ? "NaN" : "Infinity");
  if (value != 0 && (exponent < -1 || exponent >= 7)) {
    const std::string rest = mantissa.size() > 1 ? mantissa.substr(1) : "0";
    return sign + mantissa[0] + "." + rest + "e" + std::to_string(exponent);
  }
  if (exponent < 0) return sign + "0." + mantissa;
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (mantissa.size() <= whole) mantissa.append(whole + 1 - mantissa.size(), '0');
  return sign + mantissa.substr(0, whole) + "." + mantissa.substr(whole);
}

std::string suffix_name(ast::LiteralSuffix suffix) {
  static constexpr std::array<const char*, 12> names{"",   "i8",  "i16", "i32", "i64", "u8",
                                                     "u16", "u32", "u64", "f16", "f32", "f64"};
  return names.at(static_cast<std::size_t>(suffix));
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    out += (i == 0 ? "" : std::string(between)) + parts[i];
  }
  return out;
}

std::string in_parentheses_if(bool wanted, std::string text) {
  return wanted ? "(" + text + ")" : text;
}

class Printer {
 public:
  Printer(const SourceFiles& files, const NameTable& names, const syntax::Trivia& trivia)
      : files_(files), names_(names), trivia_(trivia) {}

  std::string program(const ast::File& file) {
    std::vector<std::string> declarations;
    for (const ast::Declaration* one : file.declarations) declarations.push_back(declaration(*one));
    return "[" + joined(declarations, "  ") + "]";
  }

 private:
  std::string text(Symbol symbol) const { return std::string(names_.text(symbol)); }

  // What was written, with single spaces.
  std::string written(const Range& range) const {
    std::string out;
    for (const char c : files_.text(range)) {
      const bool is_space = std::isspace(static_cast<unsigned char>(c)) != 0;
      if (!is_space) out += c;
      if (is_space && !out.empty() && out.back() != ' ') out += ' ';
    }
    return out;
  }

  std::string name(const ast::QualifiedName& qualified) const {
    std::string out;
    for (const ast::Name& one : qualified.qualifiers) out += text(one.symbol) + ".";
    return out + text(qualified.name.symbol);
  }

  // With as many parentheses as were written around the node.
  template <typename Node, typename Print>
  std::string layered(const Node& node, int level, const Print& print) {
    const auto found = trivia_.parentheses.find(&node);
    const std::size_t layers = found == trivia_.parentheses.end() ? 0 : found->second.size();
    std::string out = print(layers > 0 ? loose : level);
    for (std::size_t i = 0; i < layers; ++i) out = "(" + out + ")";
    return out;
  }

  template <typename Node>
  std::vector<std::string> all(const std::vector<Node*>& nodes) {
    std::vector<std::string> parts;
    for (const Node* node : nodes) parts.push_back(print(*node));
    return parts;
  }
  std::string print(const ast::Exp& e) { return expression(e, loose); }
  std::string print(const ast::Pattern& p) { return pattern(p); }
  std::string print(const ast::TypeExp& t) { return type(t); }

  // ---------------------------------------------------------------- types

  std::string dimension(const ast::Dimension& d) {
    return "[" + (d.size == nullptr ? "" : print(*d.size)) + "]";
  }

  std::string type(const ast::TypeExp& t) {
    return layered(t, loose, [&](int) { return bare_type(t); });
  }

  std::string bare_type(const ast::TypeExp& t) {
    return match(
        t.node, [&](const ast::TypeName& n) { return name(n.name); },
        [&](const ast::TupleType& n) { return "(" + joined(all(n.elements), ", ") + ")"; },
        [&](const ast::RecordType& n) {
          std::vector<std::string> parts;
          for (const auto& [field, one] : n.fields) {
            parts.push_back(text(field.symbol) + ": " + type(*one));
          }
          return "{" + joined(parts, ", ") + "}";
        },
        [&](const ast::SumType& n) {
          std::vector<std::string> parts;
          for (const auto& [constructor, payload] : n.constructors) {
            parts.push_back("#" + text(constructor.symbol) + " " + joined(all(payload), " "));
          }
          return joined(parts, " | ");
        },
        [&](const ast::ArrayType& n) { return dimension(n.dimension) + type(*n.element); },
        [&](const ast::UniqueType& n) { return "*" + type(*n.type); },
        [&](const ast::ArrowType& n) {
          const std::string from = n.parameter ? "(" + text(n.parameter->symbol) + ": " +
                                                     type(*n.from) + ")"
                                               : type(*n.from);
          return from + " -> " + type(*n.to);
        },
        [&](const ast::ExistentialType& n) {
          std::string sizes;
          for (const ast::Name& size : n.sizes) sizes += "[" + text(size.symbol) + "]";
          return "?" + sizes + "." + type(*n.type);
        },
        [&](const ast::TypeApplication& n) {
          std::string out = type(*n.function);
          for (const ast::TypeArgument& one : n.arguments) {
            const auto* size = std::get_if<ast::Dimension>(&one.value);
            out += " " + (size != nullptr ? dimension(*size)
                                          : type(*std::get<ast::TypeExp*>(one.value)));
          }
          return out;
        });
  }

  std::string parameter(const ast::TypeParameter& p) {
    switch (p.kind) {
      case ast::ParameterKind::size: return "[" + text(p.name.symbol) + "]";
      case ast::ParameterKind::type: return "'" + text(p.name.symbol);
      case ast::ParameterKind::size_lifted: return "'~" + text(p.name.symbol);
      case ast::ParameterKind::lifted: return "'^" + text(p.name.symbol);
    }
    return "";
  }

  // ---------------------------------------------------------------- patterns

  std::string pattern(const ast::Pattern& p) {
    return layered(p, loose, [&](int) { return bare_pattern(p); });
  }

  std::string bare_pattern(const ast::Pattern& p) {
    return match(
        p.node, [&](const ast::NamePattern& n) { return text(n.name.symbol); },
        [](const ast::WildcardPattern&) { return std::string("_"); },
        [&](const ast::TuplePattern& n) { return "(" + joined(all(n.elements), ", ") + ")"; },
        [&](const ast::RecordPattern& n) {
          std::vector<std::string> parts;
          for (const auto& [field, one] : n.fields) {
            parts.push_back(text(field.symbol) + "=" + pattern(*one));
          }
          return "{" + joined(parts, ", ") + "}";
        },
        [&](const ast::ConstructorPattern& n) {
          return "#" + text(n.constructor.symbol) + " " + joined(all(n.arguments), " ");
        },
        [&](const ast::LiteralPattern& n) { return print(*n.literal); },
        [&](const ast::AscribedPattern& n) { return pattern(*n.pattern) + ": " + type(*n.type); },
        [&](const ast::AttributePattern& n) {
          return written(n.attribute.range) + " " + pattern(*n.pattern);
        });
  }

  // ---------------------------------------------------------------- expressions

  std::string expression(const ast::Exp& e, int level) {
    return layered(e, level, [&](int inner) { return bare(e, inner); });
  }

  std::string operation(const ast::Exp& e) {
    const auto* variable = as<ast::Variable>(e.node);
    if (variable == nullptr) return print(e);
    const std::string word = name(variable->name);
    return is_symbol(text(variable->name.name.symbol)) ? word : "`" + word + "`";
  }

  std::string binary(const std::string& word, const ast::Exp& left, const ast::Exp& right,
                     int level) {
    const Precedence binds = precedence(word);
    return in_parentheses_if(level > binds.left, expression(left, binds.left) + " " + word + " " +
                                                     expression(right, binds.right));
  }

  std::string index(const std::vector<ast::IndexDimension>& dimensions) {
    std::vector<std::string> parts;
    for (const ast::IndexDimension& one : dimensions) {
      if (!one.is_slice) {
        parts.push_back(print(*one.index));
        continue;
      }
      std::string part = (one.start == nullptr ? "" : print(*one.start)) + ":";
      if (one.end != nullptr) part += print(*one.end);
      if (one.stride != nullptr) part += ":" + print(*one.stride);
      parts.push_back(part);
    }
    return "[" + joined(parts, ", ") + "]";
  }

  std::string path(const std::vector<ast::PathStep>& steps, bool leading_dot) {
    std::string out;
    for (const ast::PathStep& one : steps) {
      if (const auto* field = std::get_if<ast::Name>(&one.step)) {
        out += (out.empty() && !leading_dot ? "" : ".") + text(field->symbol);
      } else {
        out += (out.empty() && leading_dot ? "." : "") +
               index(std::get<std::vector<ast::IndexDimension>>(one.step));
      }
    }
    return out;
  }

  std::string heads(const ast::Function& function) {
    std::string out;
    for (const ast::TypeParameter& one : function.type_parameters) out += " " + parameter(one);
    for (const ast::Pattern* one : function.parameters) out += " " + pattern(*one);
    return out;
  }

  bool stands_alone(const ast::Exp& e) const {
    return !trivia_.parentheses.contains(&e);
  }

  std::string body_of_let(const ast::Exp& body) {
    const bool is_let = stands_alone(body) && (as<ast::Let>(body.node) != nullptr ||
                                               as<ast::LetFunction>(body.node) != nullptr);
    return (is_let ? "" : "in ") + print(body);
  }

  static bool has_array(const ast::Exp& e) {
    if (as<ast::ArrayLiteral>(e.node) != nullptr) return true;
    const auto* tuple = as<ast::Tuple>(e.node);
    return tuple != nullptr && std::any_of(tuple->elements.begin(), tuple->elements.end(),
                                           [](const ast::Exp* one) { return has_array(*one); });
  }

  // Whether the peer puts the value of a `let` on a line of its own.
  bool wants_line(const ast::Exp& e) const {
    if (!stands_alone(e)) return false;
    return match(
        e.node, [](const ast::Apply&) { return true; }, [](const ast::Binary&) { return true; },
        [](const ast::Logical&) { return true; }, [](const ast::Index&) { return true; },
        [](const ast::RangeExp&) { return true; }, [](const ast::If&) { return true; },
        [](const ast::Match&) { return true; }, [](const ast::Loop&) { return true; },
        [](const ast::Let&) { return true; }, [](const ast::LetFunction&) { return true; },
        [](const ast::Coercion&) { return true; }, [](const ast::Lambda&) { return true; },
        [](const ast::Attributed&) { return true; },
        [](const ast::ArrayLiteral&) { return false; },
        // What is left is short.
        [&](const auto&) { return has_array(e); });
  }

  std::string let(const ast::Let& n, int level) {
    std::string out = "let";
    for (const ast::TypeParameter& size : n.sizes) out += " " + parameter(size);
    out += " " + pattern(*n.pattern) + " = ";
    if (wants_line(*n.value)) out += inside;
    out += print(*n.value) + " " + body_of_let(*n.body);
    return in_parentheses_if(level != loose, out);
  }

  std::string let_function(const ast::LetFunction& n) {
    std::string out = "let " + text(n.name.symbol) + heads(n.function);
    if (n.function.result_type != nullptr) out += ": " + type(*n.function.result_type);
    return out + " = " + std::string(inside) + print(*n.function.body) + " " +
           body_of_let(*n.body);
  }

  std::string lambda(const ast::Function& function, int level) {
    const std::string parameters = heads(function);
    std::string out = "\\" + (parameters.empty() ? "" : parameters.substr(1));
    if (function.result_type != nullptr) out += ":" + type(*function.result_type);
    return in_parentheses_if(level != loose,
                             out + " -> " + std::string(inside) + print(*function.body));
  }

  std::string loop(const ast::Loop& n) {
    std::string out = "loop";
    for (const ast::TypeParameter& size : n.sizes) out += " " + parameter(size);
    const bool is_implicit = n.initial->range.begin < n.pattern->range.end;
    out += " " + pattern(*n.pattern) + " = " + (is_implicit ? "_" : print(*n.initial)) + " ";
    out += match(
        n.form,
        [&](const ast::ForLoop& f) { return "for " + pattern(*f.index) + " < " + print(*f.bound); },
        [&](const ast::ForInLoop& f) {
          return "for " + pattern(*f.element) + " in " + print(*f.array);
        },
        [&](const ast::WhileLoop& f) { return "while " + print(*f.condition); });
    return out + " do " + std::string(inside) + print(*n.body);
  }

  std::string record(const ast::Record& n) {
    std::vector<std::string> parts;
    for (const auto& [field, value] : n.fields) {
      const bool is_pun = value->range.begin == field.range.begin;
      parts.push_back(text(field.symbol) + (is_pun ? "" : "=" + print(*value)));
    }
    return "{" + joined(parts, ", ") + "}";
  }

  std::string arguments(const std::vector<ast::Exp*>& values) {
    std::string out;
    for (const ast::Exp* one : values) out += (out.empty() ? "" : " ") + expression(*one, argument);
    return out;
  }

  std::string range(const ast::RangeExp& n, int level) {
    std::string out = print(*n.start);
    if (n.second != nullptr) out += ".." + print(*n.second);
    out += n.kind == ast::RangeEnd::inclusive ? "..." : n.kind == ast::RangeEnd::up_to ? "..<"
                                                                                       : "..>";
    return in_parentheses_if(level != loose, out + print(*n.end));
  }

  std::string cases(const ast::Match& n) {
    std::string out = "match " + print(*n.value);
    for (const ast::Case& one : n.cases) {
      out += " case " + pattern(*one.pattern) + " -> " + std::string(inside) + print(*one.body);
    }
    return out;
  }

  static std::string integer(const ast::IntegerLiteral& n) {
    const std::string digits = n.suffix >= ast::LiteralSuffix::f16
                                   ? real(static_cast<double>(n.value))
                                   : std::to_string(n.value);
    return digits + suffix_name(n.suffix);
  }

  std::string local_open(const ast::LocalOpen& n) {
    const bool is_tuple = as<ast::Tuple>(n.body->node) != nullptr;
    return name(n.module) + "." +
           in_parentheses_if(stands_alone(*n.body) && !is_tuple, print(*n.body));
  }

  std::string with_type(const ast::Exp& value, const std::string& sign, const ast::TypeExp& wanted,
                        int level) {
    return in_parentheses_if(level != loose, expression(value, 0) + sign + type(wanted));
  }

  std::string applied(const std::string& head, const std::vector<ast::Exp*>& list, int level) {
    return in_parentheses_if(level >= argument, head + " " + arguments(list));
  }

  std::string section(const ast::Exp& e) {
    if (const auto* left = as<ast::LeftSection>(e.node)) {
      return "(" + print(*left->left) + " " + operation(*left->operation) + ")";
    }
    if (const auto* right = as<ast::RightSection>(e.node)) {
      return "(" + operation(*right->operation) + " " + print(*right->right) + ")";
    }
    if (const auto* whole = as<ast::OperatorSection>(e.node)) {
      return "(" + operation(*whole->operation) + ")";
    }
    return "(" + path(std::get<ast::PathSection>(e.node).path, true) + ")";
  }

  std::string branch(const ast::If& n) {
    return "if " + print(*n.condition) + " then " + print(*n.then_branch) + " else " +
           print(*n.else_branch);
  }

  std::string bare(const ast::Exp& e, int level) {
    return match(
        e.node, [](const ast::IntegerLiteral& n) { return integer(n); },
        [](const ast::FloatLiteral& n) { return real(n.value) + suffix_name(n.suffix); },
        [](const ast::BoolLiteral& n) { return std::string(n.value ? "true" : "false"); },
        [&](const ast::StringLiteral&) { return written(e.range); },
        [](const ast::Hole&) { return std::string("???"); },
        [&](const ast::Variable& n) {
          return in_parentheses_if(is_symbol(text(n.name.name.symbol)), name(n.name));
        },
        [&](const ast::LocalOpen& n) { return local_open(n); },
        [&](const ast::Tuple& n) { return "(" + joined(all(n.elements), ", ") + ")"; },
        [&](const ast::Record& n) { return record(n); },
        [&](const ast::Project& n) {
          return expression(*n.record, projected) + "." + text(n.field.symbol);
        },
        [&](const ast::ArrayLiteral& n) { return "[" + joined(all(n.elements), ", ") + "]"; },
        [&](const ast::Index& n) { return expression(*n.array, 9) + index(n.dimensions); },
        [&](const ast::Update& n) {
          return print(*n.source) + " with " + path(n.path, false) + " = " + print(*n.value);
        },
        [&](const ast::RangeExp& n) { return range(n, level); },
        [&](const ast::Ascription& n) { return with_type(*n.value, " : ", *n.type, level); },
        [&](const ast::Coercion& n) { return with_type(*n.value, " :> ", *n.type, level); },
        [&](const ast::Apply& n) {
          return applied(expression(*n.function, 0), n.arguments, level);
        },
        [&](const ast::Binary& n) {
          return binary(operation(*n.operation), *n.left, *n.right, level);
        },
        [&](const ast::Logical& n) {
          return binary(n.kind == ast::ShortCircuit::logical_and ? "&&" : "||", *n.left, *n.right,
                        level);
        },
        [&](const ast::Negate& n) { return "-" + print(*n.value); },
        [&](const ast::Not& n) { return "!" + print(*n.value); },
        [&](const ast::Lambda& n) { return lambda(n.function, level); },
        [&](const ast::OperatorSection&) { return section(e); },
        [&](const ast::LeftSection&) { return section(e); },
        [&](const ast::RightSection&) { return section(e); },
        [&](const ast::PathSection&) { return section(e); },
        [&](const ast::Let& n) { return let(n, level); },
        [&](const ast::LetFunction& n) { return let_function(n); },
        [&](const ast::If& n) { return branch(n); }, [&](const ast::Match& n) { return cases(n); },
        [&](const ast::Loop& n) { return loop(n); },
        [&](const ast::Construct& n) {
          return applied("#" + text(n.constructor.symbol), n.arguments, level);
        },
        [&](const ast::Assert& n) {
          return "assert " + expression(*n.condition, argument) + " " +
                 expression(*n.value, argument);
        },
        [&](const ast::Attributed& n) {
          return in_parentheses_if(level >= argument,
                                   written(n.attribute.range) + " " + print(*n.value));
        },
        [&](const ast::Broadcast&) { return written(e.range); });
  }

  // ---------------------------------------------------------------- declarations

  std::string value(const ast::Declaration& d, const ast::ValueDeclaration& n) {
    std::string out;
    for (const ast::Attribute& one : d.attributes) out += written(one.range) + " ";
    out += n.keyword == ast::ValueKeyword::entry ? "entry " : "def ";
    out += text(n.name.symbol) + heads(n.function);
    if (n.function.result_type != nullptr) out += " : " + type(*n.function.result_type);
    return out + " = " + std::string(inside) + print(*n.function.body);
  }

  std::string declaration(const ast::Declaration& d) {
    return match(
        d.node, [&](const ast::ValueDeclaration& n) { return value(d, n); },
        [&](const ast::TypeDeclaration& n) {
          std::string out = "type";
          if (n.liftedness == ast::Liftedness::size_lifted) out += "~";
          if (n.liftedness == ast::Liftedness::lifted) out += "^";
          out += " " + text(n.name.symbol);
          for (const ast::TypeParameter& one : n.parameters) out += " " + parameter(one);
          return out + " = " + type(*n.definition);
        },
        [&](const ast::ModuleDeclaration&) { return written(d.range); },
        [&](const ast::SignatureDeclaration&) { return written(d.range); },
        [&](const ast::OpenDeclaration&) { return written(d.range); },
        [&](const ast::LocalDeclaration& n) {
          const auto* open = as<ast::OpenDeclaration>(n.declaration->node);
          const auto* import =
              open == nullptr ? nullptr : as<ast::ModuleImport>(open->module->node);
          return import != nullptr ? "import " + import->path
                                   : "local " + declaration(*n.declaration);
        });
  }

  const SourceFiles& files_;
  const NameTable& names_;
  const syntax::Trivia& trivia_;
};

}  // namespace

std::string peer_text(const std::string& program) {
  SourceFiles files;
  NameTable names;
  Diagnostics diagnostics;
  ast::Arena arena;
  syntax::Trivia trivia;
  const FileId id = files.add("program", program);
  const ast::File file = syntax::parse_file(
      id, syntax::ParseInput{files, arena, names, diagnostics, &trivia, nullptr});
  if (diagnostics.has_errors()) return program;
  return Printer(files, names, trivia).program(file);
}

}  // namespace dagaz::tools::literate
