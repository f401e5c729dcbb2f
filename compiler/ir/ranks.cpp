#include "ir/ranks.h"

#include <algorithm>
#include <array>

#include "ir/builder.h"
#include "ir/print.h"
#include "support/check.h"
#include "support/match.h"

namespace dagaz::ir {

static constexpr std::string_view prefix = "ranks'";
static constexpr std::array<std::string_view, 17> kinds{
    "index",    "size",    "first",   "count",   "agree",         "gather",
    "leave",    "whole",   "turn",    "windows", "start_windows", "wait_windows",
    "add_rows", "request", "deliver", "collect", "reduce"};

bool is_rank_call(std::string_view function) { return function.starts_with(prefix); }

bool is_rank_call(const Operation& operation) {
  const auto* call = as<Call>(operation);
  return call != nullptr && is_rank_call(call->function);
}

bool combines_by(ScalarOp op, ScalarType element) {
  switch (op) {
    case ScalarOp::add:
    case ScalarOp::mul: return element != ScalarType::f16;
    case ScalarOp::smin:
    case ScalarOp::smax:
    case ScalarOp::umin:
    case ScalarOp::umax:
    case ScalarOp::bit_and:
    case ScalarOp::bit_or:
    case ScalarOp::bit_xor: return true;
    default: return false;
  }
}

std::string rank_function_name(const RankCall& call) {
  std::string name(prefix);
  name += kinds.at(static_cast<std::size_t>(call.kind));
  for (const ScalarOp op : call.ops) name += " " + std::string(name_of(op));
  name += " (";
  for (const RankLeaf& leaf : call.leaves) {
    if (&leaf != call.leaves.data()) name += ", ";
    for (std::size_t k = 0; k < leaf.rank; ++k) name += "[]";
    name += name_of(leaf.element);
  }
  return name + ")";
}

static RankLeaf leaf_from(std::string_view text) {
  const auto rank = static_cast<std::size_t>(std::count(text.begin(), text.end(), '['));
  const auto element = scalar_type_named(text.substr(2 * rank));
  DZ_CHECK(element.has_value(), "the name of a collective operation");
  return {*element, rank};
}

RankCall rank_call_of(std::string_view function) {
  const std::size_t open = function.find('(');
  std::string_view words = function.substr(prefix.size(), open - 1 - prefix.size());
  const std::string_view kind = words.substr(0, words.find(' '));
  const auto found = std::find(kinds.begin(), kinds.end(), kind);
  DZ_CHECK(found != kinds.end(), "the name of a collective operation");
  RankCall call{static_cast<RankKind>(found - kinds.begin())};
  words.remove_prefix(kind.size());
  while (!words.empty()) {
    words.remove_prefix(1);
    const std::size_t end = std::min(words.find(' '), words.size());
    call.ops.push_back(scalar_op_named(words.substr(0, end)).value());
    words.remove_prefix(end);
  }
  std::string_view rest = function.substr(open + 1, function.rfind(')') - open - 1);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(", "), rest.size());
    call.leaves.push_back(leaf_from(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  return call;
}

// To the ranks before and behind this one.
static std::string windows_volume(const Call& call, const RankCall& what, const Names& names) {
  std::string volume;
  std::size_t at = 0;
  for (const RankLeaf& leaf : what.leaves) {
    const auto number = [&](std::size_t k) {
      return integer_value(call.arguments[at + k].constant());
    };
    const std::int64_t low = std::min<std::int64_t>(number(3), 0);
    const std::int64_t high = std::max<std::int64_t>(number(4), 0);
    if (!volume.empty()) volume += " + ";
    volume += std::to_string((high - low) * static_cast<std::int64_t>(byte_size(leaf.element)));
    at += 7;  // the total of rows is the last of them
    for (std::size_t k = 1; k < leaf.rank; ++k) {
      volume += "·" + print(call.arguments[at++], names);
    }
    at += what.kind == RankKind::add_rows ? 2 : 1;
  }
  return volume;
}

// All of the array but what stays where it is.
static std::string turn_volume(const Call& call, const RankCall& what, const Names& names) {
  constexpr std::size_t arguments = 11;
  std::string volume;
  for (std::size_t k = 0; k < what.leaves.size(); ++k) {
    if (k > 0) volume += " + ";
    volume += std::to_string(byte_size(what.leaves[k].element));
    for (const std::size_t size : {3U, 1U, 5U, 2U, 7U}) {
      const Operand& operand = call.arguments[k * arguments + size];
      if (operand != i64_operand(1)) volume += "·" + print(operand, names);
    }
    volume += "/ranks";
  }
  return volume;
}

// What ranks ask for or deliver, each its part: a number for each row, and its elements.
static std::string places_volume(const Call& call, const RankCall& what, const Names& names) {
  // A request has the rows of this rank before those of all.
  const bool requests = what.kind == RankKind::request;
  std::size_t at = requests ? 3 : 2;
  std::string points = print(call.arguments[at++], names);
  const std::size_t rank = what.leaves.front().rank;
  for (std::size_t k = 1; k < rank; ++k) points += "·" + print(call.arguments[at + k], names);
  std::string volume = "8·" + points + "/ranks";
  at += rank + 1;
  for (std::size_t i = 1; i < what.leaves.size(); ++i) {
    const RankLeaf& leaf = what.leaves[i];
    volume += " + " + std::to_string(byte_size(leaf.element)) + "·" + points;
    for (std::size_t k = requests ? 1 : 0; k < leaf.rank; ++k) {
      volume += "·" + print(call.arguments[at++], names);
    }
    volume += "/ranks";
    ++at;
  }
  return volume;
}

std::string rank_volume(const Call& call, const Names& names) {
  const RankCall what = rank_call_of(call.function);
  if (what.kind == RankKind::agree) return "8";
  if (what.kind == RankKind::leave || what.kind == RankKind::whole ||
      what.kind == RankKind::wait_windows) {
    return "";
  }
  if (what.kind == RankKind::turn) return turn_volume(call, what, names);
  if (what.kind == RankKind::windows || what.kind == RankKind::start_windows ||
      what.kind == RankKind::add_rows) {
    return windows_volume(call, what, names);
  }
  if (what.kind == RankKind::request || what.kind == RankKind::deliver) {
    return places_volume(call, what, names);
  }
  const bool gathers = what.kind == RankKind::gather;
  // The first argument is the rows of one rank, or the number of ranks.
  std::size_t at = gathers || what.kind == RankKind::collect ? 1 : 0;
  std::string volume;
  for (const RankLeaf& leaf : what.leaves) {
    if (!volume.empty()) volume += " + ";
    volume += std::to_string(byte_size(leaf.element));
    for (std::size_t k = 0; k < leaf.rank; ++k) volume += "·" + print(call.arguments[at++], names);
    if (gathers) volume += "/ranks";
  }
  return volume;
}

namespace {

/// Makes the function of a call.
class FunctionMaker {
 public:
  FunctionMaker(const RankCall& call, Names& names) : call_(call), names_(names), b_(names) {}

  Function make() {
    function_.name = rank_function_name(call_);
    std::vector<Operand> results;
    switch (call_.kind) {
      case RankKind::index: results = scalar(0); break;
      case RankKind::size: results = scalar(1); break;
      case RankKind::first:
        parameter("n", scalar_of(ScalarType::i64));
        results = scalar(0);
        break;
      case RankKind::count: results = scalar(parameter("n", scalar_of(ScalarType::i64))); break;
      case RankKind::agree: break;
      case RankKind::gather:
      case RankKind::leave: results = gather(); break;
      case RankKind::whole: whole(); break;
      case RankKind::turn: results = turn(); break;
      case RankKind::windows:
      case RankKind::start_windows: results = windows(); break;
      case RankKind::wait_windows: results = wait_windows(); break;
      case RankKind::add_rows: results = add_rows(); break;
      case RankKind::request: results = request(); break;
      case RankKind::deliver: results = deliver(); break;
      case RankKind::collect: results = collect(); break;
      case RankKind::reduce: results = reduce(); break;
    }
    function_.body = b_.take_body(std::move(results));
    return std::move(function_);
  }

 private:
  NameId parameter(std::string base, Type type) {
    const NameId name = names_.fresh(std::move(base), std::move(type));
    function_.parameters.push_back({name});
    function_.consumes.push_back(false);
    return name;
  }
  std::vector<Operand> sizes(std::size_t count) {
    std::vector<Operand> all;
    for (std::size_t k = 0; k < count; ++k) {
      all.emplace_back(parameter("d", scalar_of(ScalarType::i64)));
    }
    return all;
  }
  void gives(Type type) { function_.result_types.push_back(std::move(type)); }

  std::vector<Operand> scalar(std::int64_t value) { return scalar(i64_operand(value)); }
  std::vector<Operand> scalar(Operand value) {
    gives(scalar_of(ScalarType::i64));
    return {value};
  }
  std::vector<Operand> gather() {
    const RankLeaf& leaf = call_.leaves.front();
    std::vector<Operand> shape = sizes(leaf.rank + 1);
    const Operand count = shape.front();
    shape.erase(shape.begin());
    Type type = array_of(leaf.element, shape);
    type.shape.front() = count;
    const NameId part = parameter("part", type);
    gives(array_of(leaf.element, shape));
    const NameId whole = b_.add(Reshape{part, shape}, "whole");
    return {b_.add(Copy{whole}, "whole")};
  }
  void whole() {
    for (const RankLeaf& leaf : call_.leaves) {
      parameter("x", array_of(leaf.element, sizes(leaf.rank)));
    }
  }
  /// A rank that is alone has all rows and all columns.
  std::vector<Operand> turn() {
    std::vector<Operand> results;
    for (const RankLeaf& leaf : call_.leaves) {
      sizes(3);
      const std::vector<Operand> before = sizes(5);
      std::vector<Operand> after = before;
      after[1] = parameter("rows", scalar_of(ScalarType::i64));
      after[3] = parameter("columns", scalar_of(ScalarType::i64));
      const NameId part = parameter("part", array_of(leaf.element, before));
      gives(array_of(leaf.element, after));
      results.emplace_back(b_.add(Copy{b_.add(Reshape{part, after}, "turned")}, "turned"));
    }
    return results;
  }
  std::vector<Operand> windows() {
    std::vector<Operand> results;
    for (const RankLeaf& leaf : call_.leaves) {
      const std::vector<Operand> numbers = sizes(6);
      const std::vector<Operand> shape = sizes(leaf.rank);
      std::vector<Operand> part_shape = shape;
      part_shape.front() = numbers[0];
      const NameId part = parameter("part", array_of(leaf.element, part_shape));
      gives(array_of(leaf.element, shape));
      results.emplace_back(window(part, numbers, shape));
    }
    return results;
  }
  std::vector<Operand> wait_windows() {
    std::vector<Operand> results;
    for (const RankLeaf& leaf : call_.leaves) {
      const Type type = array_of(leaf.element, sizes(leaf.rank));
      results.emplace_back(parameter("window", type));
      gives(type);
    }
    return results;
  }
  /// Row k is row k + low of the array, counted modulo its rows; where it has none, any.
  NameId window(NameId part, const std::vector<Operand>& numbers,
                const std::vector<Operand>& shape) {
    SegmentedMap map;
    std::vector<Operand> at;
    for (const Operand& extent : shape) {
      at.emplace_back(names_.fresh("i", scalar_of(ScalarType::i64)));
      map.space.push_back({{at.back().name()}, extent});
    }
    Builder inside(names_);
    const Operand row = inside.add_i64(at.front(), numbers[3]);
    at.front() = inside.scalar(ScalarOp::smod_floor, ScalarType::i64, {row, numbers[1]});
    map.body = inside.take_body({inside.index(part, at)});
    map.result_types = {names_.type(map.body.results.front())};
    return b_.add(std::move(map), "window");
  }
  std::vector<Operand> add_rows() {
    std::vector<Operand> results;
    for (const RankLeaf& leaf : call_.leaves) {
      const std::vector<Operand> numbers = sizes(6);
      const std::vector<Operand> shape = sizes(leaf.rank);
      std::vector<Operand> own_shape = shape;
      own_shape.front() = numbers[0];
      const NameId own = parameter("own", array_of(leaf.element, own_shape));
      const NameId added = parameter("added", array_of(leaf.element, shape));
      gives(array_of(leaf.element, own_shape));
      results.emplace_back(sum(own, added, numbers, shape));
    }
    return results;
  }
  /// Row k is added to row k + low, modulo the rows if they wrap; outside of them nothing happens.
  NameId sum(NameId own, NameId added, const std::vector<Operand>& numbers,
             const std::vector<Operand>& shape) {
    const Type& type = names_.type(own);
    Type open = type;
    open.kind = TypeKind::accumulator;
    const NameId accumulator = names_.fresh("sum", open);
    SegmentedMap map;
    std::vector<Operand> at;
    for (const Operand& extent : shape) {
      at.emplace_back(names_.fresh("i", scalar_of(ScalarType::i64)));
      map.space.push_back({{at.back().name()}, extent});
    }
    Builder inside(names_);
    const Operand value = inside.index(added, at);
    const Operand row = inside.add_i64(at.front(), numbers[3]);
    const Operand wrapped = inside.scalar(ScalarOp::smod_floor, ScalarType::i64, {row, numbers[1]});
    const Operand wraps =
        inside.scalar(ScalarOp::ne, ScalarType::i64, {numbers[5], i64_operand(0)});
    at.front() = inside.select(ScalarType::i64, wraps, wrapped, row);
    const NameId next = names_.fresh("sum", open);
    inside.add(Statement{{{next}}, Accumulate{accumulator, at, value}, {}, inside.location()});
    map.body = inside.take_body({next});
    map.result_types = {open};
    Builder scope(names_);
    const NameId all = scope.add(std::move(map), "sum");
    WithAccumulator with;
    with.body.parameters = {{accumulator}};
    with.body.body = scope.take_body({all});
    with.body.result_types = {open};
    const Operand zero{zero_of(type.element)};
    with.inputs.push_back(
        {type.shape, b_.add(Copy{own}, "own"), addition(type.element, {}, names_), {zero}});
    return b_.add(std::move(with), "sum");
  }
  /// A rank that is alone has all rows.
  std::vector<Operand> request() {
    const std::vector<Operand> numbers = sizes(4);
    const std::vector<Operand> points = sizes(call_.leaves.front().rank);
    const NameId asked = parameter("asked", array_of(ScalarType::i64, points));
    std::vector<Operand> results;
    for (std::size_t k = 1; k < call_.leaves.size(); ++k) {
      const RankLeaf& leaf = call_.leaves[k];
      std::vector<Operand> shape = sizes(leaf.rank - 1);
      std::vector<Operand> whole = points;
      whole.insert(whole.end(), shape.begin(), shape.end());
      shape.insert(shape.begin(), numbers[1]);
      const NameId part = parameter("part", array_of(leaf.element, shape));
      gives(array_of(leaf.element, whole));
      results.emplace_back(b_.add(rows_at(part, asked, names_), "answers"));
    }
    return results;
  }
  /// A rank that is alone has all points, and all that is for its rows.
  std::vector<Operand> deliver() {
    sizes(3);
    const std::vector<Operand> points = sizes(call_.leaves.front().rank);
    std::vector<NameId> given{parameter("places", array_of(ScalarType::i64, points))};
    std::vector<std::vector<Operand>> rows{{}};
    for (std::size_t k = 1; k < call_.leaves.size(); ++k) {
      rows.push_back(sizes(call_.leaves[k].rank));
      std::vector<Operand> shape = points;
      shape.insert(shape.end(), rows.back().begin(), rows.back().end());
      given.push_back(parameter("values", array_of(call_.leaves[k].element, std::move(shape))));
    }
    const Operand total = b_.as_name(b_.product(points), "total");
    std::vector<Operand> results = scalar(total);
    for (std::size_t k = 0; k < given.size(); ++k) {
      std::vector<Operand> shape = rows[k];
      shape.insert(shape.begin(), total);
      gives(array_of(call_.leaves[k].element, shape));
      const NameId flat = b_.add(Reshape{given[k], std::move(shape)}, "delivered");
      results.emplace_back(b_.add(Copy{flat}, "delivered"));
    }
    return results;
  }
  std::vector<Type> leaf_types() {
    std::vector<Type> types;
    for (const RankLeaf& leaf : call_.leaves) {
      types.push_back(Type{leaf.element, sizes(leaf.rank)});
    }
    return types;
  }
  std::vector<Operand> collect() {
    const Operand ranks = parameter("p", scalar_of(ScalarType::i64));
    std::vector<Operand> results;
    for (const Type& type : leaf_types()) {
      const NameId own = parameter("x", type);
      gives(array_over(ranks, type));
      results.emplace_back(b_.add(Replicate{{ranks}, own}, "all"));
    }
    return results;
  }
  std::vector<Operand> reduce() {
    std::vector<Operand> results;
    for (const Type& type : leaf_types()) {
      const NameId own = parameter("x", type);
      gives(type);
      results.emplace_back(b_.add(Copy{own}, "whole"));
    }
    return results;
  }

  const RankCall& call_;
  Names& names_;
  Builder b_;
  Function function_{};
};

}  // namespace

namespace {

/// A point for each place, and for each element of a row there.
struct PlacePoints {
  std::vector<SpaceDimension> space;
  std::vector<Operand> place;    // indices of it
  std::vector<Operand> element;  // indices of an element of its row
};

PlacePoints points_at(NameId places, const std::vector<Operand>& row, Names& names) {
  PlacePoints points;
  const auto add = [&](const Operand& extent, std::vector<Operand>& at) {
    const NameId index = names.fresh("i", scalar_of(ScalarType::i64));
    points.space.push_back({{index}, extent});
    at.emplace_back(index);
  };
  for (const Operand& extent : names.type(places).shape) add(extent, points.place);
  for (const Operand& extent : row) add(extent, points.element);
  return points;
}

std::vector<Operand> inner_sizes(const Type& type) {
  return {type.shape.begin() + 1, type.shape.end()};
}

}  // namespace

SegmentedMap rows_at(NameId array, NameId places, Names& names) {
  const Type type = names.type(array);
  const PlacePoints points = points_at(places, inner_sizes(type), names);
  Builder b(names);
  const Operand row = b.index(places, points.place, "row");
  const Operand is_row =
      b.scalar(ScalarOp::ult, ScalarType::i64, {row, type.shape.front()}, "is_row");
  const NameId value = b.branch(
      is_row,
      [&](Builder& inside) {
        std::vector<Operand> at{row};
        at.insert(at.end(), points.element.begin(), points.element.end());
        return std::vector<Operand>{inside.index(array, at)};
      },
      [&](Builder&) { return std::vector<Operand>{zero_of(type.element)}; }, "value")[0];
  return {points.space, b.take_body({value}), {scalar_of(type.element)}};
}

Function rank_function(const RankCall& call, Names& names) {
  return FunctionMaker(call, names).make();
}

}  // namespace dagaz::ir
