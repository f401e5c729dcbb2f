// Writes the text form that text.h describes, from the field lists.
#include "ir/print.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>

#include "ir/text.h"
#include "support/text_writer.h"

namespace dagaz::ir {

namespace {

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '\'';
}

std::string float_text(const Constant& constant) {
  const double value = float_value(constant);
  const std::string type(name_of(constant.type));
  if (std::isnan(value)) {
    if (constant == make_float(constant.type, std::nan(""))) return type + ".nan";
    return type + ".bits " + std::to_string(constant.bits);
  }
  if (std::isinf(value)) return (value < 0 ? "-" : "") + type + ".inf";
  char digits[64];
  char* const limit = digits + sizeof digits;
  const auto end = constant.type == ScalarType::f64
                       ? std::to_chars(digits, limit, value).ptr
                       : std::to_chars(digits, limit, static_cast<float>(value)).ptr;
  return std::string(digits, end) + type;
}

class Printer {
 public:
  explicit Printer(const Names& names) : names_(names) {}
  std::string take() { return out_.take(); }

  void value(NameId name) {
    if (!name.valid()) {
      out_ << "?";
      return;
    }
    for (const char c : names_.base(name)) {
      out_ << (is_word_character(c) ? c : '_');
    }
    out_ << "_" << name.index;
  }
  void value(const Constant& constant) {
    if (constant.type == ScalarType::boolean) {
      out_ << (constant.bits != 0 ? "true" : "false");
    } else if (is_float(constant.type)) {
      out_ << float_text(constant);
    } else {
      out_ << integer_value(constant);
      if (constant.type != ScalarType::i64) out_ << name_of(constant.type);
    }
  }
  void value(const Operand& operand) {
    if (operand.is_name()) {
      value(operand.name());
    } else {
      value(operand.constant());
    }
  }
  void value(const Binder& binder) {
    value(binder.name);
    out_ << ": ";
    value(names_.type(binder.name));
  }
  void value(const Type& type) {
    switch (type.kind) {
      case TypeKind::token: out_ << "token"; return;
      case TypeKind::block: out_ << "block"; return;
      case TypeKind::accumulator: out_ << "acc "; break;
      case TypeKind::value: break;
    }
    for (const Operand& size : type.shape) {
      out_ << "[";
      value(size);
      out_ << "]";
    }
    out_ << name_of(type.element);
  }
  void value(const SliceDimension& dimension) {
    value(dimension.start);
    if (dimension.fixed) return;
    out_ << " : ";
    value(dimension.count);
    out_ << " : ";
    value(dimension.stride);
  }
  void value(const Body& body) {
    out_ << "{\n";
    out_.indent();
    for (const Statement& one : body.statements) statement(one);
    out_ << "return";
    for (std::size_t i = 0; i < body.results.size(); ++i) {
      out_ << (i == 0 ? " " : ", ");
      value(body.results[i]);
    }
    out_ << "\n";
    out_.dedent();
    out_ << "}";
  }
  void value(const Lambda& lambda) {
    out_ << "\\";
    list(lambda.parameters, "(", ")");
    out_ << " -> ";
    value(lambda.result_types);
    out_ << " ";
    value(lambda.body);
  }
  void value(const std::variant<ForForm, WhileForm>& form) {
    if (const auto* counted = std::get_if<ForForm>(&form)) {
      out_ << "for ";
      value(*counted);
    } else {
      out_ << "while ";
      value(std::get<WhileForm>(form).condition);
    }
  }
  void value(const std::string& text) { out_ << quoted(text); }
  void value(const Schedule& schedule) {
    list(schedule.versions, "[", "]");
    work(schedule);
  }
  void work(const Schedule& schedule) {
    const auto sum = [this](std::string_view label, const std::vector<Product>& terms) {
      if (terms.empty()) return;
      out_ << " " << label << " ";
      list(terms, "[", "]");
    };
    sum("operations", schedule.operations);
    if (schedule.lanes != 0) out_ << " lanes " << schedule.lanes;
    sum("additions", schedule.additions);
    sum("least_piece", schedule.least_piece);
    if (schedule.apart != 0) out_ << " apart " << schedule.apart;
    if (!schedule.appends.empty()) {
      out_ << " appends ";
      value(schedule.appends);
    }
    if (schedule.strip != 0) out_ << " strip " << schedule.strip;
    if (schedule.link != 0) out_ << " link " << schedule.link;
  }
  void value(const Version& version) {
    std::visit(
        [this](const auto& strategy) {
          out_ << std::decay_t<decltype(strategy)>::mnemonic;
          members(strategy, " ");
        },
        version.strategy);
    if (version.when.empty()) return;
    out_ << " when ";
    value(version.when);
  }
  void value(const Product& product) {
    bool first = true;
    const auto separate = [&] {
      if (!first) out_ << " * ";
      first = false;
    };
    if (product.is_number() || product.factor != 1) {
      separate();
      out_ << product.factor;
    }
    for (const Operand& size : product.sizes) {
      separate();
      value(size);
    }
    if (product.resident) {
      separate();
      out_ << "resident";
    }
    if (product.block_bytes) {
      separate();
      out_ << "block_bytes";
    }
  }
  void value(bool flag) { out_ << (flag ? "true" : "false"); }
  void value(int number) { out_ << number; }
  template <typename E>
    requires std::is_enum_v<E>
  void value(E word) {
    out_ << text::Spellings<E>::words[static_cast<std::size_t>(word)];
  }
  template <typename T>
  void value(const std::vector<T>& items) {
    list(items, "[", "]");
  }
  template <typename T>
  void value(const std::optional<T>& item) {
    value(*item);
  }
  template <HasFields Node>
  void value(const Node& node) {
    if constexpr (!text::joint<Node>.empty()) {
      value(std::get<0>(node.fields()));
      out_ << " " << text::joint<Node> << " ";
      value(std::get<1>(node.fields()));
    } else {
      out_ << "(";
      members(node, "");
      out_ << ")";
    }
  }

  void operation(const Operation& operation) {
    std::visit(
        [this](const auto& node) {
          if constexpr (std::is_same_v<std::decay_t<decltype(node)>, Scalar>) {
            scalar(node);
          } else {
            out_ << std::decay_t<decltype(node)>::mnemonic;
            members(node, " ");
          }
        },
        operation);
  }

  void scalar(const Scalar& scalar) {
    out_ << name_of(scalar.op) << "." << name_of(scalar.type);
    if (result_kind_of(scalar.op) == ResultKind::converted) out_ << "." << name_of(scalar.result);
    for (const Operand& argument : scalar.arguments) {
      out_ << " ";
      value(argument);
    }
  }

  void statement(const Statement& statement) {
    list(statement.results, "", "");
    out_ << (statement.results.empty() ? "= " : " = ");
    operation(statement.operation);
    if (!statement.tokens.empty()) {
      out_ << " if ";
      value(statement.tokens);
    }
    if (statement.mode == ModeRequest::forward) out_ << " #[forward]";
    if (statement.mode == ModeRequest::reverse) out_ << " #[reverse]";
    out_ << "\n";
  }

  void function(const Function& function) {
    if (function.noinline) out_ << "noinline ";
    if (function.sorts == Sorts::unsigned_numbers) out_ << "sorting ";
    if (function.sorts == Sorts::signed_numbers) out_ << "sorting signed ";
    out_ << "function ";
    function_name(function.name);
    out_ << " (";
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      if (i != 0) out_ << ", ";
      if (i < function.consumes.size() && function.consumes[i]) out_ << "*";
      value(function.parameters[i]);
    }
    out_ << ") -> ";
    value(function.result_types);
    out_ << " ";
    value(function.body);
    out_ << "\n";
  }

  void external_type(const ExternalType& type) {
    out_ << "type";
    members(type, " ");
    out_ << "\n";
  }
  void settings(const Settings& settings) {
    out_ << Settings::mnemonic;
    members(settings, " ");
  }
  void entry_point(const EntryPoint& entry) {
    out_ << "entry";
    members(entry, " ");
    out_ << "\n";
  }

  void program(const Program& program) {
    for (const ExternalType& type : program.external_types) external_type(type);
    for (const EntryPoint& entry : program.entries) entry_point(entry);
    for (const Function& one : program.functions) function(one);
  }

 private:
  /// Unquoted where it is a plain word.
  void function_name(const std::string& name) {
    if (!name.empty() && std::all_of(name.begin(), name.end(), is_word_character) &&
        (name[0] < '0' || name[0] > '9')) {
      out_ << name;
    } else {
      value(name);
    }
  }

  template <typename T>
  void list(const std::vector<T>& items, std::string_view open, std::string_view close) {
    out_ << open;
    bool first = true;
    for (const auto& item : items) {
      if (!first) out_ << ", ";
      first = false;
      value(item);
    }
    out_ << close;
  }

  /// `unset`: the member of a structure of which nothing was said.
  template <typename T>
  static bool is_default(const T& member, const T& unset) {
    if constexpr (detail::is_vector<T>) {
      return member.empty();
    } else if constexpr (detail::is_optional<T>) {
      return !member.has_value();
    } else if constexpr (std::is_same_v<T, Schedule>) {
      return member.versions.empty();
    } else if constexpr (std::is_same_v<T, LoopAttributes> || std::is_same_v<T, bool> ||
                         std::is_same_v<T, int>) {
      return member == unset;
    } else {
      return false;
    }
  }

  template <typename Node, typename T>
  static bool may_be_left_out(const T& member, const T& unset) {
    if constexpr (text::SaysWhatDiffers<Node>::value) {
      return member == unset;
    } else {
      return is_default(member, unset);
    }
  }

  /// Each member after `before` or, from the second on, a space.
  template <typename Node>
  void members(const Node& node, std::string_view before) {
    const std::size_t first_labelled = text::first_labelled<Node>();
    std::size_t index = 0;
    bool first = true;
    const Node fresh{};
    const auto write = [&](const auto& member, const auto& unset) {
      const std::size_t at = index++;
      const bool labelled = std::greater_equal<>()(at, first_labelled);
      if (labelled && may_be_left_out<Node>(member, unset)) return;
      out_ << (first ? before : " ");
      first = false;
      if (labelled) out_ << text::label_at(Node::field_names, at) << " ";
      value(member);
    };
    const auto fields = node.fields();
    const auto fresh_fields = fresh.fields();
    [&]<std::size_t... k>(std::index_sequence<k...>) {
      (write(std::get<k>(fields), std::get<k>(fresh_fields)), ...);
    }(std::make_index_sequence<std::tuple_size_v<decltype(node.fields())>>());
  }

  const Names& names_;
  TextWriter out_;
};

template <typename T>
std::string print_value(const T& value, const Names& names) {
  Printer printer(names);
  printer.value(value);
  return printer.take();
}

}  // namespace

std::string print(const Program& program) {
  Printer printer(program.names);
  printer.program(program);
  return printer.take();
}
std::string print(const Function& function, const Names& names) {
  Printer printer(names);
  printer.function(function);
  return printer.take();
}
std::string print(const Statement& statement, const Names& names) {
  Printer printer(names);
  printer.statement(statement);
  return printer.take();
}
std::string print(const Operation& operation, const Names& names) {
  Printer printer(names);
  printer.operation(operation);
  return printer.take();
}
std::string print(const Lambda& lambda, const Names& names) { return print_value(lambda, names); }
std::string print(const Type& type, const Names& names) { return print_value(type, names); }
std::string print(const Version& version, const Names& names) {
  return print_value(version, names);
}
std::string print_work(const Schedule& schedule, const Names& names) {
  Printer printer(names);
  printer.work(schedule);
  return printer.take();
}
std::string print(const Settings& settings) {
  const Names no_names;
  Printer printer(no_names);
  printer.settings(settings);
  return printer.take();
}
std::string print(const Operand& operand, const Names& names) {
  return print_value(operand, names);
}

std::string print(const ExternalType& type) {
  const Names no_names;
  Printer printer(no_names);
  printer.external_type(type);
  return printer.take();
}
std::string print(const EntryPoint& entry) {
  const Names no_names;
  Printer printer(no_names);
  printer.entry_point(entry);
  return printer.take();
}
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result + "\"";
}

}  // namespace dagaz::ir
