// The method of Maranget (Warnings for pattern matching, 2007): the cases are the rows of a matrix
// of patterns with one column per value that is still to be inspected.  Inspecting the first
// column by each constructor that its type has leaves smaller matrices; a matrix without rows is a
// value that no case matches.  Records have one constructor and are unfolded in place.
#include "check/exhaustiveness.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "check/type.h"
#include "support/check.h"
#include "support/match.h"
#include "syntax/children.h"

namespace dagaz::check {

namespace {

// A null pattern matches everything.
using Row = std::vector<const ast::Pattern*>;
using Columns = std::vector<const Type*>;
using Witness = std::vector<std::string>;

constexpr std::size_t shown_witnesses = 4;
// Patterns that need more steps than this are taken to be complete.
constexpr std::size_t step_limit = 200000;

// The pattern without ascriptions and attributes; null if it matches everything.
const ast::Pattern* stripped(const ast::Pattern* pattern) {
  while (pattern != nullptr) {
    if (const auto* ascribed = as<ast::AscribedPattern>(pattern->node)) {
      pattern = ascribed->pattern;
    } else if (const auto* attributed = as<ast::AttributePattern>(pattern->node)) {
      pattern = attributed->pattern;
    } else if (as<ast::NamePattern>(pattern->node) || as<ast::WildcardPattern>(pattern->node)) {
      return nullptr;
    } else {
      return pattern;
    }
  }
  return nullptr;
}

bool is_real(Primitive primitive) {
  return primitive == Primitive::f16 || primitive == Primitive::f32 ||
         primitive == Primitive::f64;
}

// How many values the type has, if few enough that a program may list them.
std::optional<std::size_t> value_count(Primitive primitive) {
  switch (primitive) {
    case Primitive::boolean: return 2;
    case Primitive::i8:
    case Primitive::u8: return 256;
    case Primitive::i16:
    case Primitive::u16: return 65536;
    default: return std::nullopt;
  }
}

std::string real_text(double value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

// Equal for literals that match the same value.
std::string literal_text(const ast::Exp& literal, Primitive primitive) {
  const ast::Exp* inner = &literal;
  bool negative = false;
  while (const auto* negate = as<ast::Negate>(inner->node)) {
    negative = !negative;
    inner = negate->value;
  }
  if (const auto* boolean = as<ast::BoolLiteral>(inner->node)) {
    return boolean->value ? "true" : "false";
  }
  if (const auto* real = as<ast::FloatLiteral>(inner->node)) {
    return real_text(negative ? -real->value : real->value);
  }
  const auto* integer = as<ast::IntegerLiteral>(inner->node);
  DZ_CHECK(integer != nullptr, "a literal pattern is a literal");
  if (is_real(primitive)) {
    const auto value = static_cast<double>(integer->value);
    return real_text(negative ? -value : value);
  }
  return (negative && integer->value != 0 ? "-" : "") + std::to_string(integer->value);
}

class Matrix {
 public:
  explicit Matrix(const NameTable& names) : names_(names) {}

  // Values that no row matches, as text, one per column; at most `shown_witnesses`.
  std::vector<Witness> unmatched(std::vector<Row> rows, Columns columns) {
    if (++steps_ > step_limit) return {};
    if (columns.empty()) return rows.empty() ? std::vector<Witness>{{}} : std::vector<Witness>{};
    const Type* type = columns.front();
    if (const auto* record = as<Record>(type->node)) {
      return unmatched_record(rows, columns, *record);
    }
    if (const auto* sum = as<Sum>(type->node)) return unmatched_sum(rows, columns, *sum);
    if (const auto* primitive = as<PrimitiveType>(type->node)) {
      return unmatched_literal(rows, columns, primitive->primitive);
    }
    return unmatched_default(rows, columns, "_");
  }

  // Whether `row` matches a value that none of `rows` matches.
  bool useful(const std::vector<Row>& rows, const Row& row, const Columns& columns) {
    if (++steps_ > step_limit) return true;
    if (columns.empty()) return rows.empty();
    const Type* type = columns.front();
    if (const auto* record = as<Record>(type->node)) {
      return useful(unfold_all(rows, *record), unfold(row, *record),
                    unfold_columns(columns, *record));
    }
    const ast::Pattern* head = stripped(row.front());
    if (const auto* sum = as<Sum>(type->node)) {
      for (const auto& constructor : sum->constructors) {
        if (head != nullptr && constructor_of(*head) != constructor.first) continue;
        if (useful(select_constructor(rows, constructor), *select(row, constructor),
                   constructor_columns(columns, constructor))) {
          return true;
        }
      }
      return false;
    }
    if (const auto* primitive = as<PrimitiveType>(type->node)) {
      return useful_literal(rows, row, columns, primitive->primitive);
    }
    return useful(default_rows(rows), tail(row), tail(columns));
  }

 private:
  using Constructor = std::pair<Symbol, std::vector<const Type*>>;

  template <typename T>
  static std::vector<T> tail(const std::vector<T>& list) {
    return {list.begin() + 1, list.end()};
  }

  static Symbol constructor_of(const ast::Pattern& pattern) {
    return std::get<ast::ConstructorPattern>(pattern.node).constructor.symbol;
  }

  // ---- records

  Row unfold(const Row& row, const Record& record) const {
    Row result;
    const ast::Pattern* head = stripped(row.front());
    for (std::size_t i = 0; i < record.fields.size(); ++i) {
      const ast::Pattern* inner = nullptr;
      if (head != nullptr) {
        if (const auto* tuple = as<ast::TuplePattern>(head->node)) {
          inner = tuple->elements[i];
        } else {
          for (const auto& [name, field] : std::get<ast::RecordPattern>(head->node).fields) {
            if (name.symbol == record.fields[i].first) inner = field;
          }
        }
      }
      result.push_back(inner);
    }
    result.insert(result.end(), row.begin() + 1, row.end());
    return result;
  }

  std::vector<Row> unfold_all(const std::vector<Row>& rows, const Record& record) const {
    std::vector<Row> result;
    for (const Row& row : rows) result.push_back(unfold(row, record));
    return result;
  }

  static Columns unfold_columns(const Columns& columns, const Record& record) {
    Columns result;
    for (const auto& field : record.fields) result.push_back(field.second);
    result.insert(result.end(), columns.begin() + 1, columns.end());
    return result;
  }

  bool is_tuple(const Record& record) const {
    if (record.fields.size() == 1) return false;
    for (std::size_t i = 0; i < record.fields.size(); ++i) {
      if (names_.text(record.fields[i].first) != std::to_string(i)) return false;
    }
    return true;
  }

  std::vector<Witness> unmatched_record(const std::vector<Row>& rows, const Columns& columns,
                                        const Record& record) {
    const bool opaque = std::all_of(rows.begin(), rows.end(), [](const Row& row) {
      return stripped(row.front()) == nullptr;
    });
    if (opaque) return unmatched_default(rows, columns, "_");
    std::vector<Witness> found =
        unmatched(unfold_all(rows, record), unfold_columns(columns, record));
    const bool tuple = is_tuple(record);
    for (Witness& witness : found) {
      std::string text = tuple ? "(" : "{";
      for (std::size_t i = 0; i < record.fields.size(); ++i) {
        if (i > 0) text += ", ";
        if (!tuple) text += std::string(names_.text(record.fields[i].first)) + "=";
        text += witness[i];
      }
      text += tuple ? ")" : "}";
      const auto count = static_cast<std::ptrdiff_t>(record.fields.size());
      witness.erase(witness.begin(), witness.begin() + count);
      witness.insert(witness.begin(), std::move(text));
    }
    return found;
  }

  // ---- sums

  // The rest of the row where its head matches the constructor.
  static std::optional<Row> select(const Row& row, const Constructor& constructor) {
    const ast::Pattern* head = stripped(row.front());
    Row result(constructor.second.size(), nullptr);
    if (head != nullptr) {
      const auto& pattern = std::get<ast::ConstructorPattern>(head->node);
      if (pattern.constructor.symbol != constructor.first) return std::nullopt;
      std::copy_n(pattern.arguments.begin(),
                  std::min(pattern.arguments.size(), result.size()), result.begin());
    }
    result.insert(result.end(), row.begin() + 1, row.end());
    return result;
  }

  static std::vector<Row> select_constructor(const std::vector<Row>& rows,
                                             const Constructor& constructor) {
    std::vector<Row> result;
    for (const Row& row : rows) {
      if (std::optional<Row> rest = select(row, constructor)) result.push_back(std::move(*rest));
    }
    return result;
  }

  static Columns constructor_columns(const Columns& columns, const Constructor& constructor) {
    Columns result = constructor.second;
    result.insert(result.end(), columns.begin() + 1, columns.end());
    return result;
  }

  std::vector<Witness> unmatched_sum(const std::vector<Row>& rows, const Columns& columns,
                                     const Sum& sum) {
    const bool opaque = std::all_of(rows.begin(), rows.end(), [](const Row& row) {
      return stripped(row.front()) == nullptr;
    });
    if (opaque) return unmatched_default(rows, columns, "_");
    std::vector<Witness> all;
    for (const Constructor& constructor : sum.constructors) {
      if (all.size() >= shown_witnesses) break;
      std::vector<Witness> found = unmatched(select_constructor(rows, constructor),
                                             constructor_columns(columns, constructor));
      for (Witness& witness : found) {
        std::string text = "#" + std::string(names_.text(constructor.first));
        const std::size_t count = constructor.second.size();
        for (std::size_t i = 0; i < count; ++i) {
          const bool compound = witness[i].starts_with('#') &&
                                witness[i].find(' ') != std::string::npos;
          text += compound ? " (" + witness[i] + ")" : " " + witness[i];
        }
        witness.erase(witness.begin(), witness.begin() + static_cast<std::ptrdiff_t>(count));
        witness.insert(witness.begin(), std::move(text));
        all.push_back(std::move(witness));
      }
    }
    return all;
  }

  // ---- literals

  static std::vector<Row> default_rows(const std::vector<Row>& rows) {
    std::vector<Row> result;
    for (const Row& row : rows) {
      if (stripped(row.front()) == nullptr) result.push_back(tail(row));
    }
    return result;
  }

  std::vector<Witness> unmatched_default(const std::vector<Row>& rows, const Columns& columns,
                                         const std::string& text) {
    std::vector<Witness> found = unmatched(default_rows(rows), tail(columns));
    for (Witness& witness : found) witness.insert(witness.begin(), text);
    return found;
  }

  // The literal at the head of a row; nothing if the head matches everything.
  static std::optional<std::string> literal_of(const Row& row, Primitive primitive) {
    const ast::Pattern* head = stripped(row.front());
    if (head == nullptr) return std::nullopt;
    return literal_text(*std::get<ast::LiteralPattern>(head->node).literal, primitive);
  }

  // The literals in the first column, each with the rows it leaves.
  static std::map<std::string, std::vector<Row>> by_literal(const std::vector<Row>& rows,
                                                            Primitive primitive) {
    std::map<std::string, std::vector<Row>> groups;
    for (const Row& row : rows) {
      if (const auto text = literal_of(row, primitive)) groups.emplace(*text, std::vector<Row>{});
    }
    for (const Row& row : rows) {
      if (const auto text = literal_of(row, primitive)) {
        groups.at(*text).push_back(tail(row));
      } else {
        for (auto& [literal, group] : groups) group.push_back(tail(row));
      }
    }
    return groups;
  }

  std::vector<Witness> unmatched_literal(const std::vector<Row>& rows, const Columns& columns,
                                         Primitive primitive) {
    std::vector<Witness> all;
    const auto groups = by_literal(rows, primitive);
    for (const auto& [literal, group] : groups) {
      if (all.size() >= shown_witnesses) return all;
      for (Witness& witness : unmatched(group, tail(columns))) {
        witness.insert(witness.begin(), literal);
        all.push_back(std::move(witness));
      }
    }
    if (const auto count = value_count(primitive); count && groups.size() == *count) return all;
    std::string other = "_";
    if (primitive == Primitive::boolean && groups.size() == 1) {
      other = groups.begin()->first == "true" ? "false" : "true";
    }
    for (Witness& witness : unmatched_default(rows, columns, other)) {
      all.push_back(std::move(witness));
    }
    return all;
  }

  bool useful_literal(const std::vector<Row>& rows, const Row& row, const Columns& columns,
                      Primitive primitive) {
    if (const auto wanted = literal_of(row, primitive)) {
      std::vector<Row> before;
      for (const Row& other : rows) {
        const auto text = literal_of(other, primitive);
        if (!text || *text == *wanted) before.push_back(tail(other));
      }
      return useful(before, tail(row), tail(columns));
    }
    const auto groups = by_literal(rows, primitive);
    for (const auto& [literal, group] : groups) {
      if (useful(group, tail(row), tail(columns))) return true;
    }
    if (const auto count = value_count(primitive); count && groups.size() == *count) return false;
    return useful(default_rows(rows), tail(row), tail(columns));
  }

  const NameTable& names_;
  std::size_t steps_ = 0;
};

class Checker {
 public:
  Checker(const NameTable& names, Diagnostics& diagnostics)
      : names_(names), diagnostics_(diagnostics) {}

  void function(const ast::Function& function) {
    parameters(function);
    ast::for_each_expression(*function.body, [&](const ast::Exp& exp) { expression(exp); });
  }

 private:
  void expression(const ast::Exp& exp) {
    if (const auto* alternatives = as<ast::Match>(exp.node)) {
      cases(exp.range, *alternatives);
    } else if (const auto* let = as<ast::Let>(exp.node)) {
      irrefutable(*let->pattern);
    } else if (const auto* function = as<ast::LetFunction>(exp.node)) {
      parameters(function->function);
    } else if (const auto* lambda = as<ast::Lambda>(exp.node)) {
      parameters(lambda->function);
    } else if (const auto* loop = as<ast::Loop>(exp.node)) {
      irrefutable(*loop->pattern);
      if (const auto* form = as<ast::ForInLoop>(loop->form)) irrefutable(*form->element);
    }
  }

  void parameters(const ast::Function& function) {
    for (const ast::Pattern* parameter : function.parameters) irrefutable(*parameter);
  }

  void irrefutable(const ast::Pattern& pattern) {
    if (stripped(&pattern) == nullptr || pattern.type == nullptr) return;
    const auto missing = Matrix(names_).unmatched({{&pattern}}, {pattern.type});
    if (missing.empty()) return;
    diagnostics_
        .report(DiagnosticKind::refutable_pattern, pattern.range,
                "Refutable pattern not allowed here.  Unmatched cases: " + listed(missing))
        .hints.emplace_back("use `match` to say what happens in the other cases");
  }

  void cases(const Range& range, const ast::Match& match) {
    if (match.value->type == nullptr) return;
    const Columns columns{match.value->type};
    std::vector<Row> rows;
    for (const ast::Case& alternative : match.cases) {
      if (!Matrix(names_).useful(rows, {alternative.pattern}, columns)) {
        diagnostics_.report(DiagnosticKind::unreachable_case, alternative.pattern->range,
                            "this case is never reached: those above match all its values");
      }
      rows.push_back({alternative.pattern});
    }
    const auto missing = Matrix(names_).unmatched(rows, columns);
    if (missing.empty()) return;
    // The keyword and the value; the cases themselves are not to blame.
    diagnostics_.report(DiagnosticKind::unmatched_cases,
                        Range{range.file, range.begin, match.value->range.end},
                        "Unmatched cases in match expression: " + listed(missing));
  }

  static std::string listed(const std::vector<Witness>& witnesses) {
    std::vector<std::string> texts;
    for (const Witness& witness : witnesses) {
      if (std::find(texts.begin(), texts.end(), witness.front()) == texts.end()) {
        texts.push_back(witness.front());
      }
    }
    std::string text;
    for (std::size_t i = 0; i < texts.size() && i < shown_witnesses; ++i) {
      if (i > 0) text += ", ";
      text += texts[i];
    }
    return texts.size() > shown_witnesses ? text + ", …" : text;
  }

  const NameTable& names_;
  Diagnostics& diagnostics_;
};

}  // namespace

void check_exhaustiveness(const ast::Function& function, const NameTable& names,
                          Diagnostics& diagnostics) {
  Checker(names, diagnostics).function(function);
}

}  // namespace dagaz::check
