// Traces: what `trace x` and `#[trace] x` print.
//
// A trace gets the leaves of a value and a text that says how they make up the value, with the
// signs and the names of fields and constructors that the IR has lost (runtime/traces.h has its
// grammar).
#include "elaborate/traces.h"

#include <algorithm>
#include <numeric>

#include "check/type_builder.h"
#include "ir/traces.h"
#include "support/match.h"

namespace dagaz::elaborate {

namespace {

class Description {
 public:
  explicit Description(const NameTable& symbols) : symbols_(symbols) {}

  std::string text;
  std::vector<std::size_t> used = {};  // leaves, in the order of their numbers in the text

  /// Describes a value of `type` that has these leaves.
  void describe(TypeRef type, std::span<const std::size_t> leaves) {
    match(
        type->node,
        [&](const ScalarShape& t) {
          text += check::primitive_name(t.primitive);
          number(leaves[0]);
        },
        [&](const ArrayShape& t) {
          text += "[]";
          describe(t.element, leaves);
        },
        [&](const RecordShape& t) { record(t, leaves); },
        [&](const SumShape& t) { sum(t, leaves); },
        // There is nothing to see before it is closed.
        [&](const AccumulatorShape&) { text += "accumulator"; },
        [&](const FunctionShape&) { text += "function"; });
  }

 private:
  void number(std::size_t leaf) {
    auto found = std::find(used.begin(), used.end(), leaf);
    if (found == used.end()) found = used.insert(found, leaf);
    text += "@" + std::to_string(found - used.begin());
  }
  bool is_tuple(const RecordShape& type) const {
    for (std::size_t i = 0; i < type.fields.size(); ++i) {
      if (symbols_.text(type.fields[i].first) != std::to_string(i)) return false;
    }
    return true;
  }
  void record(const RecordShape& type, std::span<const std::size_t> leaves) {
    const bool tuple = is_tuple(type);
    text += tuple ? "(" : "{";
    bool first = true;
    for (const auto& [name, field] : type.fields) {
      if (!first) text += ", ";
      first = false;
      if (!tuple) text += std::string(symbols_.text(name)) + ": ";
      describe(field, leaves.first(field->leaf_count));
      leaves = leaves.subspan(field->leaf_count);
    }
    text += tuple ? ")" : "}";
  }
  void sum(const SumShape& type, std::span<const std::size_t> leaves) {
    text += "sum";
    number(leaves[0]);
    text += "(";
    for (const ConstructorShape& constructor : type.constructors) {
      if (&constructor != &type.constructors.front()) text += " | ";
      text += "#" + std::string(symbols_.text(constructor.name));
      std::vector<std::size_t> slots;
      for (const std::size_t slot : constructor.slots) slots.push_back(leaves[1 + slot]);
      std::span<const std::size_t> rest = slots;
      for (const TypeRef payload : constructor.payload) {
        text += " ";
        describe(payload, rest.first(payload->leaf_count));
        rest = rest.subspan(payload->leaf_count);
      }
    }
    text += ")";
  }

  const NameTable& symbols_;
};

}  // namespace

static ir::TracedLeaf leaf_of(const ir::Type& type) { return {type.element, type.rank()}; }

// The function that a trace calls, made where there is none of the name.
static void add_function(Elaborator& e, const std::string& name,
                         const std::vector<ir::Operand>& leaves) {
  if (e.function_named(name) != nullptr) return;
  ir::Function function{name, {}, {}, {}, {}};
  std::vector<ir::Type> types;
  for (const ir::Operand& leaf : leaves) {
    ir::Type type = e.names().type(leaf);
    for (ir::Operand& size : type.shape) {
      const ir::NameId parameter = e.names().fresh("n", ir::scalar_of(ir::ScalarType::i64));
      function.parameters.push_back({parameter});
      size = parameter;
    }
    types.push_back(std::move(type));
  }
  for (ir::Type& type : types) {
    function.parameters.push_back({e.names().fresh("leaf", std::move(type))});
  }
  function.consumes.assign(function.parameters.size(), false);
  e.ir_program.functions.push_back(std::move(function));
}

void trace(Elaborator& e, ValueRef value, const std::string& label) {
  const std::vector<ir::Operand> leaves = leaves_of(value);
  std::vector<std::size_t> numbers(leaves.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  Description description(e.symbols);
  description.describe(e.arena.type_of(value), numbers);
  ir::Traced traced{label, std::move(description.text), {}};
  std::vector<ir::Operand> printed;
  ir::Call call;
  for (const std::size_t leaf : description.used) {
    const ir::Type& type = e.names().type(leaves[leaf]);
    traced.leaves.push_back(leaf_of(type));
    printed.push_back(leaves[leaf]);
    call.arguments.insert(call.arguments.end(), type.shape.begin(), type.shape.end());
  }
  call.function = ir::trace_function(traced);
  call.arguments.insert(call.arguments.end(), printed.begin(), printed.end());
  add_function(e, call.function, printed);
  e.emit_named({}, std::move(call));
}

void trace_attributed(Elaborator& e, const ast::Attributed& node, ValueRef value) {
  const std::vector<ast::Attribute>& arguments = node.attribute.arguments;
  const bool tagged = arguments.size() == 1 && arguments.front().name.valid();
  const At at(e, node.value->range);
  trace(e, value, tagged ? std::string(e.symbols.text(arguments.front().name))
                         : e.files.describe(node.value->range));
}

}  // namespace dagaz::elaborate
