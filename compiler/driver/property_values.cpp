// A value is a list of arrays, one for each leaf of its type, and so is an array of such values: a
// random one is made leaf by leaf, with a seed for each.  What cannot be any number is the leaf
// that says which constructor a sum has.
#include "driver/property_values.h"

#include <algorithm>
#include <limits>
#include <span>

#include "data/random_values.h"
#include "script/value.h"
#include "support/check.h"
#include "values.h"

namespace dagaz::driver {

using ir::ExternalKind;
using ir::ExternalType;

namespace {

const ExternalType& type_at(const ir::Program& program, int index) {
  return program.external_types[static_cast<std::size_t>(index)];
}

const ir::Function& function_of(const ir::Program& program, const ir::EntryPoint& entry) {
  const auto found = std::find_if(program.functions.begin(), program.functions.end(),
                                  [&](const ir::Function& f) { return f.name == entry.function; });
  DZ_CHECK(found != program.functions.end(), "an entry point without function");
  return *found;
}

// For each leaf of a type how many values it may have, 0: all that its elements can have.
using Limits = std::vector<std::size_t>;

// False if the type has parts of which only the program knows what they are.
bool find_limits(const ir::Program& program, const ExternalType& type, std::span<std::size_t> out) {
  switch (type.kind) {
    case ExternalKind::scalar:
    case ExternalKind::array: return true;
    case ExternalKind::opaque: return false;
    case ExternalKind::opaque_array:
      return find_limits(program, type_at(program, type.element_type), out);
    case ExternalKind::record: {
      std::size_t next = 0;
      for (const ir::ExternalMember& member : type.members) {
        const ExternalType& field = type_at(program, member.types.front());
        if (!find_limits(program, field, out.subspan(next, field.leaves.size()))) return false;
        next += field.leaves.size();
      }
      return true;
    }
    case ExternalKind::sum: break;
  }
  out[0] = type.members.size();
  for (const ir::ExternalMember& member : type.members) {
    std::size_t next = 0;
    for (const int part : member.types) {
      const ExternalType& payload = type_at(program, part);
      Limits limits(payload.leaves.size());
      if (!find_limits(program, payload, limits)) return false;
      for (const std::size_t limit : limits) {
        // Constructors share leaves.
        std::size_t& place = out[static_cast<std::size_t>(member.leaf_index[next++])];
        if (limit != 0) place = place == 0 ? limit : std::min(place, limit);
      }
    }
  }
  return true;
}

}  // namespace

// ---------------------------------------------------------------- at random

struct RandomValues::Making {
  data::SplitMix random;
  int64_t size;
  std::vector<ir::Type> types;  // of the leaves as the function takes them
  std::string& problem;
  Leaves leaves = {};
};

bool RandomValues::make(Making& making, int index) const {
  const ExternalType& type = type_at(program_, index);
  if (type.kind == ExternalKind::record) {
    return std::all_of(type.members.begin(), type.members.end(), [&](const auto& member) {
      return make(making, member.types.front());
    });
  }
  if (type.kind == ExternalKind::sum || type.kind == ExternalKind::opaque) {
    const auto made = made_by_program_(type, making.size, making.random.word(), making.problem);
    if (!made && !making.problem.empty()) return false;
    if (made) {
      making.leaves.insert(making.leaves.end(), made->begin(), made->end());
      return true;
    }
  }
  Limits limits(type.leaves.size());
  if (!find_limits(program_, type, limits)) {
    making.problem = "only the program knows what values of `" + type.name +
                     "` are: give the property a generator, `#[prop(gen(name))]`";
    return false;
  }
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const auto element = static_cast<int32_t>(type.leaves[i].element);
    data::Array like{element, {}, ""};
    for (const ir::Operand& size : making.types[making.leaves.size()].shape) {
      like.shape.push_back(size.is_constant() ? ir::integer_value(size.constant()) : making.size);
    }
    data::Bounds bounds;
    bounds.set(DZ_F32, "-1:1");
    if (limits[i] != 0) bounds.set(element, "0:" + std::to_string(limits[i] - 1));
    auto value = data::random_value(data::type_text(like), bounds, making.random.word(),
                                    making.problem);
    if (!value) return false;
    making.leaves.push_back(std::move(*value));
  }
  return true;
}

std::optional<Leaves> RandomValues::argument(const ir::EntryPoint& entry, int64_t size,
                                             uint64_t seed, std::string& problem) const {
  Making making{data::SplitMix(seed), size, {}, problem};
  const ir::Function& function = function_of(program_, entry);
  for (auto i = static_cast<std::size_t>(entry.size_parameters); i < function.parameters.size();
       ++i) {
    making.types.push_back(program_.names.type(function.parameters[i].name));
  }
  if (!make(making, entry.inputs.front().type)) return std::nullopt;
  return std::move(making.leaves);
}

// ---------------------------------------------------------------- as text

namespace {

enum class Position { alone, argument };  // of a constructor

class Writer {
 public:
  explicit Writer(const ir::Program& program) : program_(program) {}

  std::string text(const ExternalType& type, std::span<const data::Array> leaves,
                   Position position) const {
    switch (type.kind) {
      case ExternalKind::scalar:
      case ExternalKind::array: return plain(leaves.front());
      case ExternalKind::record: return record(type, leaves);
      case ExternalKind::sum: return sum(type, leaves, position);
      case ExternalKind::opaque_array: return array(type, leaves, type.rank);
      case ExternalKind::opaque: break;
    }
    return "<opaque:" + type.name + ">";
  }

 private:
  static std::string plain(const data::Array& leaf) {
    std::string problem;
    return script::text_of(script::array_value(leaf, false), problem).value_or("?");
  }

  std::string record(const ExternalType& type, std::span<const data::Array> leaves) const {
    bool is_tuple = type.members.size() != 1;
    for (std::size_t i = 0; i < type.members.size(); ++i) {
      is_tuple = is_tuple && type.members[i].name == std::to_string(i);
    }
    std::string out;
    for (const ir::ExternalMember& member : type.members) {
      const ExternalType& field = type_at(program_, member.types.front());
      if (!out.empty()) out += ", ";
      if (!is_tuple) out += member.name + " = ";
      out += text(field, leaves.first(field.leaves.size()), Position::alone);
      leaves = leaves.subspan(field.leaves.size());
    }
    return is_tuple ? "(" + out + ")" : "{" + out + "}";
  }

  std::string sum(const ExternalType& type, std::span<const data::Array> leaves,
                  Position position) const {
    const auto number = static_cast<unsigned char>(leaves.front().bytes.front());
    if (number >= type.members.size()) return "<opaque:" + type.name + ">";
    const ir::ExternalMember& member = type.members[number];
    std::string out = "#" + member.name;
    std::size_t next = 0;
    for (const int part : member.types) {
      const ExternalType& payload = type_at(program_, part);
      Leaves own;
      for (std::size_t i = 0; i < payload.leaves.size(); ++i) {
        own.push_back(leaves[static_cast<std::size_t>(member.leaf_index[next++])]);
      }
      out += " " + text(payload, own, Position::argument);
    }
    return position == Position::argument && next > 0 ? "(" + out + ")" : out;
  }

  // The first `rank` dimensions are those of the array, the others its elements'.
  std::string array(const ExternalType& type, std::span<const data::Array> leaves,
                    int rank) const {
    if (rank == 0) return text(type_at(program_, type.element_type), leaves, Position::alone);
    std::string out;
    const int64_t count = leaves.front().shape.front();
    for (int64_t i = 0; i < count; ++i) {
      Leaves row;
      for (const data::Array& leaf : leaves) {
        const std::size_t bytes = leaf.bytes.size() / static_cast<std::size_t>(count);
        row.push_back({leaf.element,
                       {leaf.shape.begin() + 1, leaf.shape.end()},
                       leaf.bytes.substr(bytes * static_cast<std::size_t>(i), bytes)});
      }
      out += (i == 0 ? "" : ", ") + array(type, row, rank - 1);
    }
    return "[" + out + "]";
  }

  const ir::Program& program_;
};

}  // namespace

std::string value_text(const ir::Program& program, int type, const Leaves& leaves) {
  return Writer(program).text(type_at(program, type), leaves, Position::alone);
}

}  // namespace dagaz::driver
