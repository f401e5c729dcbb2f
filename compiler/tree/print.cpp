// Writes the text form that text.h describes, from the field lists.
#include "tree/print.h"

#include <string>
#include <unordered_set>

#include "ir/print.h"
#include "support/match.h"
#include "support/text_writer.h"
#include "tree/text.h"

namespace dagaz::tree {

namespace {

class Printer {
 public:
  explicit Printer(const ir::Names& names) : names_(names) {}
  std::string take() { return out_.take(); }

  void program(const Program& program) {
    out_ << "target ";
    value(program.target);
    out_ << "\n";
    for (const ir::ExternalType& type : program.external_types) out_ << ir::print(type);
    for (std::size_t k = 0; k < program.entries.size(); ++k) {
      out_ << ir::print(program.entries[k]) << "  parameters ";
      value(program.entry_inputs[k]);
      out_ << " results ";
      value(program.entry_outputs[k]);
      out_ << "\n";
    }
    for (const Failure& failure : program.failures) {
      out_ << "failure ";
      value(failure.text);
      out_ << "\n";
    }
    for (const Function& one : program.functions) function(one);
  }
  void instruction(const Instruction& instruction) {
    std::visit([&](const auto& node) { this->node(node); }, instruction.node);
  }

 private:
  void function(const Function& function) {
    out_ << (function.device ? "device function " : "function ");
    value(function.name);
    out_ << " ";
    list(function.parameters, "(", ")");
    out_ << " ";
    value(function.body);
    out_ << " -> ";
    value(function.results);
    out_ << "\n";
  }

  void node(const Assign& assign) {
    value(assign.target);
    out_ << " = " << ir::name_of(assign.op) << "." << ir::name_of(assign.type);
    if (ir::result_kind_of(assign.op) == ir::ResultKind::converted) {
      out_ << "." << ir::name_of(assign.result);
    }
    for (const Operand& argument : assign.arguments) {
      out_ << " ";
      value(argument);
    }
    if (assign.reassociate) out_ << " reassociate";
  }
  template <typename Node>
  void node(const Node& node) {
    const auto before = [&]<typename T>(const T& member) {
      if constexpr (std::is_same_v<T, Assigned>) {
        value(member);
        out_ << " = ";
      } else if constexpr (text::stands_before<T>) {
        if (member.empty()) return;
        list(member, "", " = ");
      }
    };
    std::apply([&](const auto&... member) { (before(member), ...); }, node.fields());
    out_ << Node::mnemonic;
    seen_code_ = false;
    members(node);
  }
  template <typename Node>
  void members(const Node& node) {
    std::size_t at = 0;
    const auto write = [&](const auto& one) {
      const std::string_view field = ir::text::label_at(Node::field_names, at++);
      member(one, text::label_of(field), text::is_labelled<Node>(field));
    };
    std::apply([&](const auto&... one) { (write(one), ...); }, node.fields());
  }
  template <typename T>
  void member(const T& member, std::string_view label, bool labelled) {
    if constexpr (text::stands_before<T> || std::is_same_v<T, ir::LocationId>) {
      return;
    } else if constexpr (std::is_same_v<T, bool>) {
      if (member) out_ << " " << label;
    } else if constexpr (std::is_same_v<T, Space>) {
      if (member == Space::global) return;
      out_ << " ";
      value(member);
    } else if constexpr (ir::detail::is_optional<T>) {
      if (!member) return;
      out_ << " " << label << " ";
      value(*member);
    } else if constexpr (std::is_same_v<T, Code>) {
      code_member(member, label);
    } else if constexpr (ir::HasFields<const T>) {
      members(member);
    } else {
      out_ << " ";
      if (labelled) out_ << label << " ";
      value(member);
    }
  }
  void code_member(const Code& code, std::string_view label) {
    if (seen_code_ && code.empty()) return;
    out_ << " ";
    if (seen_code_) out_ << label << " ";
    value(code);
    seen_code_ = true;
  }

  void value(const Code& code) {
    out_ << "{\n";
    out_.indent();
    for (const Instruction& one : code) {
      instruction(one);
      out_ << "\n";
    }
    out_.dedent();
    out_ << "}";
  }
  void value(NameId name) {
    out_ << ir::print(Operand(name), names_);
    if (!name.valid() || !introduced_.insert(name).second) return;
    out_ << ": ";
    value(names_.type(name));
  }
  void value(const Operand& operand) {
    if (operand.is_name()) {
      value(operand.name());
    } else {
      out_ << ir::print(operand, names_);
    }
  }
  void value(const Assigned& one) { value(one.name); }
  void value(const Counter& one) { value(one.name); }
  void value(const ir::Constant& constant) { value(Operand(constant)); }
  void value(const ir::Type& type) {
    if (type.kind != ir::TypeKind::value) {
      out_ << ir::print(type, names_);
      return;
    }
    for (const Operand& size : type.shape) {
      out_ << "[";
      value(size);
      out_ << "]";
    }
    out_ << ir::name_of(type.element);
  }
  void value(const std::string& text) { out_ << ir::quoted(text); }
  void value(int number) { out_ << number; }
  void value(std::int64_t number) { out_ << number; }
  void value(ScalarOp op) { out_ << ir::name_of(op); }
  template <typename E>
    requires std::is_enum_v<E>
  void value(E word) {
    out_ << ir::text::Spellings<E>::words[static_cast<std::size_t>(word)];
  }
  template <typename T>
  void value(const std::vector<T>& items) {
    list(items, "[", "]");
  }
  template <typename T>
  void list(const std::vector<T>& items, std::string_view open, std::string_view close) {
    out_ << open;
    bool first = true;
    for (const T& item : items) {
      if (!first) out_ << ", ";
      first = false;
      value(item);
    }
    out_ << close;
  }

  const ir::Names& names_;
  std::unordered_set<NameId> introduced_;  // whose type is written
  bool seen_code_ = false;                 // of the instruction being printed
  TextWriter out_;
};

}  // namespace

std::string print(const Program& program) {
  Printer printer(program.names);
  printer.program(program);
  return printer.take();
}

std::string print(const Instruction& instruction, const ir::Names& names) {
  Printer printer(names);
  printer.instruction(instruction);
  return printer.take();
}

}  // namespace dagaz::tree
