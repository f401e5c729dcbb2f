// The messages are the peer's, word by word: its expected outputs are ours.
#include "driver/property_spec.h"

#include <algorithm>
#include <map>

#include "ir/globals.h"
#include "support/match.h"

namespace dagaz::driver {

namespace {

using Attributes = std::vector<const ast::Attribute*>;

bool same(const ast::Attribute& a, const ast::Attribute& b) {
  return a.name == b.name && a.number == b.number && a.has_arguments == b.has_arguments &&
         std::equal(a.arguments.begin(), a.arguments.end(), b.arguments.begin(),
                    b.arguments.end(), same);
}

class Reader {
 public:
  Reader(const Compilation& compilation, const ir::Program& program,
         const std::vector<std::string>& declared)
      : compilation_(compilation), program_(program), declared_(declared) {}

  Properties read() {
    const std::map<std::string, Attributes> attributes = attributes_of_entries();
    for (const ir::EntryPoint& entry : program_.entries) {
      if (!ir::computes_globals(entry)) names_.push_back(entry.name);
    }
    std::sort(names_.begin(), names_.end());
    std::map<std::string, Property> found;
    for (const std::string& name : names_) {
      const auto own = attributes.find(name);
      read_entry(name, own == attributes.end() ? Attributes{} : own->second, found);
    }
    Properties result;
    for (const std::string& name : declared_) {
      if (is_entry(name)) {
        if (found.contains(name)) result.all.push_back(found.at(name));
      } else {
        complain("Declared as property, but is not an entry point: \"" + name + "\".");
      }
    }
    if (!problem_.empty()) result.all.clear();
    result.problem = std::move(problem_);
    return result;
  }

 private:
  std::string text(Symbol symbol) const {
    return symbol.valid() ? std::string(compilation_.names.text(symbol)) : "";
  }

  std::map<std::string, Attributes> attributes_of_entries() const {
    std::map<std::string, Attributes> result;
    for (const ast::Declaration* declaration : compilation_.syntax.files.back().declarations) {
      const auto* value = as<ast::ValueDeclaration>(declaration->node);
      if (value == nullptr || !value->is_entry) continue;
      Attributes& own = result[text(value->name.symbol)];
      for (const ast::Attribute& attribute : declaration->attributes) {
        // Said twice is said once.
        const bool known = std::any_of(own.begin(), own.end(),
                                       [&](const auto* each) { return same(*each, attribute); });
        if (text(attribute.name) == "prop" && !known) own.push_back(&attribute);
      }
    }
    return result;
  }

  bool is_entry(const std::string& name) const {
    return std::find(names_.begin(), names_.end(), name) != names_.end();
  }

  void complain(const std::string& message) {
    problem_ += (problem_.empty() ? "" : "\n") + message;
  }

  void read_entry(const std::string& name, const Attributes& attributes,
                  std::map<std::string, Property>& found) {
    const bool is_declared =
        std::find(declared_.begin(), declared_.end(), name) != declared_.end();
    const std::string begin = "Entry point \"" + name + "\" ";
    if (!is_declared) {
      if (!attributes.empty()) {
        complain(begin + "not declared as property, but has #[prop(...)] attribute.");
      }
    } else if (attributes.empty()) {
      complain(begin + "declared as property, but has no #[prop(...)] attribute.");
    } else if (attributes.size() > 1) {
      complain(begin + "has more than one #[prop(...)] attribute.");
    } else {
      Property property = read_attribute(name, *attributes.front());
      const std::string problem = problem_with(property);
      if (!problem.empty()) complain(problem);
      found.emplace(name, std::move(property));
    }
  }

  Property read_attribute(const std::string& name, const ast::Attribute& attribute) const {
    Property property{name, {}, {}, {}};
    for (const ast::Attribute& argument : attribute.arguments) {
      const std::string what = text(argument.name);
      const ast::Attribute none{};
      const ast::Attribute& of = argument.arguments.empty() ? none : argument.arguments.front();
      if (what == "gen" && !property.generator) property.generator = text(of.name);
      if (what == "shrink" && !property.shrinker) property.shrinker = text(of.name);
      if (what == "size" && !of.name.valid() && !argument.arguments.empty()) {
        property.size = of.number;
      }
    }
    return property;
  }

  std::string type_name(const ir::ExternalValue& value) const {
    return program_.external_types[static_cast<std::size_t>(value.type)].name;
  }
  std::vector<std::string> inputs_of(const std::string& entry) const {
    std::vector<std::string> types;
    for (const auto& input : find_entry_point(program_, entry)->inputs) {
      types.push_back(type_name(input));
    }
    return types;
  }
  std::string output_of(const std::string& entry) const {
    return type_name(find_entry_point(program_, entry)->outputs.front());
  }

  // The first mistake in how a property is declared.
  std::string problem_with(const Property& property) const {
    const std::string& name = property.name;
    const std::vector<std::string> inputs = inputs_of(name);
    if (inputs.empty()) return "Property " + name + " has no inputs: expected 1.";
    if (inputs.size() > 1) {
      return "Property " + name + " has " + std::to_string(inputs.size()) +
             " inputs; expected 1.";
    }
    if (output_of(name) != "bool") {
      return "Property " + name + " output must be bool, got: " + output_of(name);
    }
    std::string problem;
    if (property.generator) problem = problem_with_generator(*property.generator, name);
    if (problem.empty() && property.shrinker) {
      problem = problem_with_shrinker(*property.shrinker, name);
    }
    return problem;
  }

  std::string problem_with_generator(const std::string& generator, const std::string& name) const {
    if (!is_entry(generator)) return "Generator is not a server entry point: " + generator;
    std::vector<std::string> types = inputs_of(generator);
    types.push_back(output_of(generator));
    const std::vector<std::string> expected{"i64", "u64", inputs_of(name).front()};
    if (types == expected) return "";
    return "Generator \"" + generator + "\" for property \"" + name + "\" has invalid type.\n" +
           "Expected: " + signature(expected) + "\nActual:   " + signature(types);
  }

  std::string problem_with_shrinker(const std::string& shrinker, const std::string& name) const {
    if (!is_entry(shrinker)) return "Shrinker is not a server entry point: " + shrinker;
    const std::string wanted = inputs_of(name).front();
    const std::vector<std::string> types = inputs_of(shrinker);
    if (types.size() != 2) {
      return "Shrinker input arity mismatch.\n shrinker " + shrinker +
             " inputs: " + shown_list(types) + "\nExpected exactly 2 inputs: (" + wanted +
             ", u64).";
    }
    std::string mistakes;
    if (types[0] != wanted) {
      mistakes = "Property " + name + " expects " + wanted + " but shrinker " + shrinker +
                 " takes " + types[0];
    }
    if (types[1] != "u64") {
      mistakes += (mistakes.empty() ? "" : "\n---\n") + ("Shrinker " + shrinker) +
                  " takes random value " + types[1] + " but expected u64";
    }
    if (!mistakes.empty()) return "Shrinker Mismatch:\n" + mistakes;
    const std::string output = output_of(shrinker);
    if (output == wanted) return "";
    return "Shrinker output mismatch.\nProperty " + name + " expects: " + wanted + "\nShrinker " +
           shrinker + " returns: \"" + output +
           "\"\nExpected shrinker output to equal the property input type.";
  }

  static std::string signature(const std::vector<std::string>& types) {
    std::string out;
    for (const std::string& type : types) out += (out.empty() ? "" : " -> ") + type;
    return out;
  }

  const Compilation& compilation_;
  const ir::Program& program_;
  const std::vector<std::string>& declared_;
  std::vector<std::string> names_;
  std::string problem_;
};

}  // namespace

Properties properties_of(const Compilation& compilation, const ir::Program& program,
                         const std::vector<std::string>& declared) {
  return Reader(compilation, program, declared).read();
}

const ir::EntryPoint* find_entry_point(const ir::Program& program, const std::string& name) {
  const auto found =
      std::find_if(program.entries.begin(), program.entries.end(), [&](const auto& entry) {
        return entry.name == name && !ir::computes_globals(entry);
      });
  return found == program.entries.end() ? nullptr : &*found;
}

std::string shown_list(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) {
    out += out.empty() ? "\"" : ",\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    out += '"';
  }
  return "[" + out + "]";
}

}  // namespace dagaz::driver
