// The generator keeps the names that are in scope, by type, and grows a body statement by
// statement.  Indices are taken modulo the size, with an assert that there is something to index.
// Only arrays that the current scope owns, and of which no view exists, are consumed.
#include "generate_ir.h"

#include <algorithm>
#include <functional>
#include <random>
#include <string>

#include "ir/builder.h"
#include "ir/names.h"

namespace dagaz::fuzz {

namespace {

using namespace ir;

constexpr int deepest = 3;

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  GeneratedProgram run() {
    Function function;
    function.name = "main";
    Builder out(names());
    const auto parameter = [&](const char* base, const Type& type, bool consumed) {
      const NameId name = names().fresh(base, type);
      function.parameters.push_back({name});
      function.consumes.push_back(consumed);
      add_name(name, consumed);
      return name;
    };
    const NameId n = parameter("n", i64_, false);
    const NameId m = parameter("m", i64_, false);
    sizes_ = {Operand(n), Operand(m), i64_operand(3), i64_operand(1)};
    parameter("a", i64_, false);
    parameter("c", scalar_of(ScalarType::boolean), false);
    parameter("f", scalar_of(ScalarType::f64), false);
    parameter("xs", array_of(ScalarType::i64, {n}), false);
    parameter("ys", array_of(ScalarType::i64, {n}), true);
    parameter("zs", array_of(ScalarType::i64, {n, m}), below(2) == 0);
    parameter("fs", array_of(ScalarType::f64, {m}), false);
    statements(out, 4 + below(10), 0);
    results(function);
    function.body.statements = out.take();
    program_.functions.push_back(std::move(function));
    return {std::move(program_), generate_arguments(random_)};
  }

 private:
  struct Entry {
    NameId name;
    bool owned;  // this scope may consume it
  };

  Names& names() { return program_.names; }
  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint64_t>(limit)); }
  template <typename T>
  const T& any(const std::vector<T>& items) {
    return items[static_cast<std::size_t>(below(static_cast<int>(items.size())))];
  }

  // -------------------------------------------------------------- scope

  void add_name(NameId name, bool owned) { scope_.push_back({name, owned}); }
  /// A view of `name` exists from now on, or it is part of another scope.
  void share(NameId name) {
    for (Entry& entry : scope_) {
      if (entry.name == name) entry.owned = false;
    }
  }
  void consume(NameId name) {
    std::erase_if(scope_, [&](const Entry& entry) { return entry.name == name; });
  }
  std::vector<NameId> names_such_that(const std::function<bool(const Type&)>& holds) {
    std::vector<NameId> found;
    for (const Entry& entry : scope_) {
      if (holds(names().type(entry.name))) found.push_back(entry.name);
    }
    return found;
  }
  /// Runs `build` in an inner scope: outer arrays may be read there, and one `given` consumed.
  void inner_scope(const std::function<void()>& build,
                   const std::optional<NameId>& given = std::nullopt) {
    const std::vector<Entry> saved = scope_;
    for (Entry& entry : scope_) entry.owned = given == entry.name;
    build();
    scope_ = saved;
  }
  std::optional<NameId> any_array(const std::function<bool(const Type&)>& holds) {
    const auto found =
        names_such_that([&](const Type& type) { return type.is_array() && holds(type); });
    return found.empty() ? std::nullopt : std::optional(any(found));
  }
  std::optional<NameId> any_owned(const std::function<bool(const Type&)>& holds) {
    std::vector<NameId> found;
    for (const Entry& entry : scope_) {
      const Type& type = names().type(entry.name);
      if (entry.owned && type.is_array() && holds(type)) found.push_back(entry.name);
    }
    return found.empty() ? std::nullopt : std::optional(any(found));
  }

  // -------------------------------------------------------------- scalars

  Operand constant(ScalarType type) {
    if (type == ScalarType::boolean) return make_bool(below(2) == 0);
    if (is_float(type)) return make_float(type, static_cast<double>(below(9) - 4) / 2);
    return make_integer(type, below(9) - 4);
  }
  Operand operand(ScalarType type) {
    const auto found = names_such_that(
        [&](const Type& t) { return t.is_scalar() && t.element == type; });
    if (found.empty() || below(5) == 0) return constant(type);
    return any(found);
  }
  Operand i64() { return operand(ScalarType::i64); }

  void scalar_statement(Builder& out) {
    static const std::vector<ScalarOp> integer_ops = {
        ScalarOp::add,  ScalarOp::sub,     ScalarOp::mul,    ScalarOp::smin,   ScalarOp::smax,
        ScalarOp::umin, ScalarOp::bit_and, ScalarOp::bit_or, ScalarOp::bit_xor, ScalarOp::shl};
    static const std::vector<ScalarOp> float_ops = {ScalarOp::add,  ScalarOp::sub,
                                                    ScalarOp::mul,  ScalarOp::fdiv,
                                                    ScalarOp::fmin, ScalarOp::fmax};
    static const std::vector<ScalarOp> comparisons = {ScalarOp::eq, ScalarOp::ne, ScalarOp::slt,
                                                      ScalarOp::sle, ScalarOp::ult};
    static const std::vector<ScalarOp> logic = {ScalarOp::bit_and, ScalarOp::bit_or,
                                                ScalarOp::bit_xor, ScalarOp::eq};
    const ScalarType b = ScalarType::boolean;
    const ScalarType f = ScalarType::f64;
    const ScalarType i = ScalarType::i64;
    const ScalarType small = below(2) == 0 ? ScalarType::i8 : ScalarType::i32;
    switch (below(11)) {
      case 0:
      case 1: return keep(out, any(integer_ops), i, i, {i64(), i64()});
      case 2: return keep(out, any(float_ops), f, f, {operand(f), operand(f)});
      case 3: return keep(out, any(comparisons), i, b, {i64(), i64()});
      case 4: return keep(out, ScalarOp::select, i, i, {operand(b), i64(), i64()});
      case 5: return keep(out, ScalarOp::sdiv_floor, i, i, {i64(), i64_operand(1 + below(4))});
      case 6: return keep(out, any(logic), b, b, {operand(b), operand(b)});
      case 7: return keep(out, ScalarOp::bit_not, b, b, {operand(b)});
      case 8: return keep(out, ScalarOp::signed_to_float, i, f, {i64()});
      case 9: return keep(out, ScalarOp::sign_extend, i, small, {i64()});
      default: return keep(out, ScalarOp::sign_extend, small, i, {operand(small)});
    }
  }
  void keep(Builder& out, ScalarOp op, ScalarType type, ScalarType result,
            std::vector<Operand> arguments) {
    add_name(out.add(Scalar{op, type, result, std::move(arguments)}, "t"), true);
  }

  /// An index into a dimension of `size`; the builder gets the token that guards it.
  Operand index_into(Builder& out, const Operand& size) {
    const Operand some =
        out.add(Scalar{ScalarOp::slt, ScalarType::i64, ScalarType::boolean,
                       {i64_operand(0), size}}, "some");
    const NameId token = out.add(Assert{some, "nothing to index of {}", {size}}, "token");
    out.set_tokens({token});
    return out.add(Scalar{ScalarOp::smod_floor, ScalarType::i64, ScalarType::i64, {i64(), size}},
                   "index");
  }

  // -------------------------------------------------------------- arrays

  void array_statement(Builder& out) {
    switch (below(12)) {
      case 0: return add_name(out.add(Iota{ScalarType::i64, any(sizes_), i64(), constant_i64()},
                                      "is"), true);
      case 1: return add_name(out.add(Replicate{{any(sizes_)}, i64()}, "rs"), true);
      case 2: return add_name(out.add(Replicate{{any(sizes_), any(sizes_)},
                                                operand(ScalarType::f64)}, "rs"), true);
      case 3: return add_name(out.add(ArrayLiteral{scalar_of(ScalarType::i64),
                                                   {i64(), i64(), i64()}}, "ls"), true);
      case 4:
      case 5: return read(out);
      case 6: {
        const auto array = any_array([](const Type&) { return true; });
        return array ? add_name(out.add(Copy{*array}, "copy"), true) : void();
      }
      case 7: return permute(out);
      case 8: return slice(out);
      case 9: return concat(out);
      case 10: return reshape(out);
      default: return update(out);
    }
  }
  Operand constant_i64() { return make_integer(ScalarType::i64, below(4) - 1); }

  void read(Builder& out) {
    const auto array = any_array([](const Type&) { return true; });
    if (!array) return;
    const Type type = names().type(*array);
    std::vector<Operand> indices;
    const int count = 1 + below(static_cast<int>(type.rank()));
    Builder inner = out.nested();
    for (int k = 0; k < count; ++k) {
      indices.push_back(index_into(inner, type.shape[static_cast<std::size_t>(k)]));
    }
    const NameId result = inner.add(Index{*array, std::move(indices)}, "x");
    guard_by_all(inner, out);
    if (!names().type(result).is_scalar()) share(*array);
    add_name(result, names().type(result).is_scalar());
  }
  /// Every statement after an assert depends on all asserts before it.
  void guard_by_all(Builder& from, Builder& out) {
    std::vector<NameId> tokens;
    for (Statement& statement : from.take()) {
      const bool is_assert = std::holds_alternative<Assert>(statement.operation);
      statement.tokens = tokens;
      if (is_assert) {
        statement.tokens.clear();
        tokens.push_back(statement.results.front().name);
      }
      out.add(std::move(statement));
    }
  }
  void permute(Builder& out) {
    const auto array = any_array([](const Type& type) { return type.rank() == 2; });
    if (!array) return;
    share(*array);
    add_name(out.add(Permute{*array, {1, 0}}, "p"), false);
  }
  void reshape(Builder& out) {
    const auto array = any_array([](const Type& type) { return type.rank() == 2; });
    if (!array) return;
    share(*array);
    const Type type = names().type(*array);
    const Operand size = out.add(Scalar{ScalarOp::mul, ScalarType::i64, ScalarType::i64,
                                        {type.shape[0], type.shape[1]}}, "size");
    const NameId flat = out.add(Reshape{*array, {size}}, "flat");
    add_name(flat, false);
    if (below(2) == 0) {
      add_name(out.add(Reshape{flat, {type.shape[1], type.shape[0]}}, "back"), false);
    }
  }
  void slice(Builder& out) {
    const auto array = any_array([](const Type&) { return true; });
    if (!array) return;
    share(*array);
    const Type type = names().type(*array);
    std::vector<SliceDimension> dimensions;
    Builder inner = out.nested();
    for (const Operand& size : type.shape) {
      switch (below(3)) {
        case 0:
          dimensions.push_back({true, index_into(inner, size), i64_operand(1), i64_operand(1)});
          break;
        case 1: {
          const Operand last = inner.add(
              Scalar{ScalarOp::sub, ScalarType::i64, ScalarType::i64, {size, i64_operand(1)}},
              "last");
          dimensions.push_back({false, last, size, i64_operand(-1)});
          break;
        }
        default: dimensions.push_back({false, i64_operand(0), size, i64_operand(1)});
      }
    }
    const NameId result = inner.add(Slice{*array, std::move(dimensions)}, "s");
    guard_by_all(inner, out);
    add_name(result, false);
  }
  void concat(Builder& out) {
    const auto a = any_array([](const Type& t) { return t.rank() == 1; });
    if (!a) return;
    const Type type = names().type(*a);
    const auto b = any_array(
        [&](const Type& t) { return t.rank() == 1 && t.element == type.element; });
    const Operand width = out.add(Scalar{ScalarOp::add, ScalarType::i64, ScalarType::i64,
                                         {type.shape[0], names().type(*b).shape[0]}}, "width");
    add_name(out.add(Concat{width, {*a, *b}}, "both"), true);
  }
  void update(Builder& out) {
    const auto array =
        any_owned([](const Type& t) { return t.rank() == 1 && t.element != ScalarType::boolean; });
    if (!array) return;
    const Type type = names().type(*array);
    Builder inner = out.nested();
    const Operand at = index_into(inner, type.shape[0]);
    const NameId result = inner.add(
        Update{*array, {{true, at, i64_operand(1), i64_operand(1)}}, operand(type.element)}, "u");
    guard_by_all(inner, out);
    consume(*array);
    add_name(result, true);
  }

  // -------------------------------------------------------------- control

  /// A few results of any scope: names or constants of these types.
  std::vector<Operand> results_of(Builder& out, const std::vector<Type>& types, bool fresh) {
    std::vector<Operand> results;
    for (const Type& type : types) results.push_back(value_of(out, type, fresh));
    return results;
  }
  /// A value of this type; `fresh` asks for memory that nothing else refers to.
  Operand value_of(Builder& out, const Type& type, bool fresh) {
    if (type.is_scalar()) return operand(type.element);
    const auto found = any_array([&](const Type& other) { return other == type; });
    if (found && !fresh) return *found;
    if (found) return out.add(Copy{*found}, "copy");
    return out.add(Replicate{type.shape, operand(type.element)}, "made");
  }
  std::vector<Type> some_types(int most) {
    std::vector<Type> types;
    for (int i = 0; i <= below(most); ++i) {
      switch (below(4)) {
        case 0: types.push_back(array_of(ScalarType::i64, {any(sizes_)})); break;
        case 1: types.push_back(scalar_of(ScalarType::f64)); break;
        default: types.push_back(i64_);
      }
    }
    return types;
  }

  void branch(Builder& out, int depth) {
    std::vector<Type> types = some_types(3);
    // Either side may write to an array that nobody sees afterwards, and give it back.
    const auto given = below(2) == 0 ? any_owned([](const Type&) { return true; }) : std::nullopt;
    if (given) types.push_back(names().type(*given));
    const auto side = [&](Builder& inner) {
      std::vector<Operand> results;
      inner_scope([&] {
        if (given && below(2) == 0) update(inner);
        statements(inner, below(4), depth + 1);
        results = results_of(inner, types, false);
      }, given);
      return results;
    };
    for (const NameId name :
         out.branch(operand(ScalarType::boolean), side, side, "b")) {
      add_name(name, names().type(name).is_scalar());
    }
    if (given) consume(*given);
    // What a branch gives may be a view of anything.
    for (Entry& entry : scope_) entry.owned = false;
  }

  void loop(Builder& out, int depth) {
    Loop loop;
    const std::vector<Type> types = some_types(3);
    for (const Type& type : types) {
      loop.values.push_back({{names().fresh("v", type)}, value_of(out, type, true)});
    }
    Builder inner = out.nested();
    const bool counted = below(3) != 0;
    const NameId index = names().fresh("i", i64_);
    std::vector<Operand> counter;
    inner_scope([&] {
      add_name(index, false);
      for (const LoopValue& value : loop.values) add_name(value.parameter.name, true);
      if (counted) {
        loop.form = ForForm{{index}, below(2) == 0 ? any(sizes_) : i64_operand(below(4))};
      } else {
        counter = add_counter(loop, inner, index);
      }
      statements(inner, 1 + below(4), depth + 1);
      std::vector<Operand> next = results_of(inner, types, true);
      next.insert(next.end(), counter.begin(), counter.end());
      loop.body = inner.take_body(std::move(next));
    });
    for (const NameId name : out.add_results(std::move(loop), "l")) add_name(name, true);
  }
  /// Makes a while loop that runs a few times; gives the next values of its condition and counter.
  std::vector<Operand> add_counter(Loop& loop, Builder& inner, NameId index) {
    const NameId condition = names().fresh("go", scalar_of(ScalarType::boolean));
    loop.values.push_back({{condition}, make_bool(true)});
    loop.values.push_back({{index}, i64_operand(0)});
    loop.form = WhileForm{condition};
    const Operand next = inner.add(
        Scalar{ScalarOp::add, ScalarType::i64, ScalarType::i64, {index, i64_operand(1)}}, "next");
    const Operand go = inner.add(Scalar{ScalarOp::slt, ScalarType::i64, ScalarType::boolean,
                                        {next, i64_operand(below(4))}}, "go");
    return {go, next};
  }

  // -------------------------------------------------------------- parallel operations

  Lambda binary(ScalarType type) {
    static const std::vector<ScalarOp> ops = {ScalarOp::add, ScalarOp::smin, ScalarOp::smax,
                                              ScalarOp::mul};
    const ScalarOp op = any(ops);
    return Builder(names()).lambda({scalar_of(type), scalar_of(type)}, {"p", "q"},
                                   [&](Builder& in, const std::vector<NameId>& p) {
                                     return std::vector<Operand>{in.add(
                                         Scalar{op, type, type, {p[0], p[1]}}, "r")};
                                   });
  }
  std::vector<NameId> arrays_of_width(const Operand& width) {
    std::vector<NameId> arrays;
    for (int k = 0; k < 1 + below(3); ++k) {
      const auto array = any_array([&](const Type& type) { return type.shape[0] == width; });
      if (array) arrays.push_back(*array);
    }
    return arrays;
  }
  std::vector<Type> rows_of(const std::vector<NameId>& arrays) {
    std::vector<Type> rows;
    for (const NameId a : arrays) rows.push_back(row_of(names().type(a)));
    return rows;
  }
  /// A lambda over elements of `arrays` that gives `types`.
  Lambda map_lambda(Builder& out, const std::vector<NameId>& arrays,
                    const std::vector<Type>& types, int depth) {
    return out.lambda(rows_of(arrays), {},
                      [&](Builder& inner, const std::vector<NameId>& parameters) {
                        std::vector<Operand> results;
                        inner_scope([&] {
                          for (const NameId name : parameters) add_name(name, false);
                          statements(inner, below(5), depth + 1);
                          results = results_of(inner, types, false);
                        });
                        return results;
                      });
  }

  void map_scan_reduce(Builder& out, int depth) {
    const Operand width = any(sizes_);
    const std::vector<NameId> arrays = arrays_of_width(width);
    std::vector<Type> types;
    MapScanReduce e{width, arrays, {}, {}, {}, std::nullopt, false};
    for (int k = 0; k < below(3) - 1; ++k) {
      e.scans.push_back({binary(ScalarType::i64), {i64_operand(below(3))}});
      types.push_back(i64_);
    }
    for (int k = 0; k < below(3); ++k) {
      e.reductions.push_back({binary(ScalarType::i64), {i64_operand(below(3))}, false});
      types.push_back(i64_);
    }
    if (types.empty() || below(2) == 0) {
      for (const Type& type : some_types(2)) types.push_back(type);
    }
    e.map = map_lambda(out, arrays, types, depth);
    e.map.result_types = types;
    if (!e.scans.empty() && below(2) == 0) add_post(e, out, depth);
    for (const NameId name : out.add_results(std::move(e), "ys")) add_name(name, true);
  }
  void add_post(MapScanReduce& e, Builder& out, int depth) {
    std::vector<Type> parameters(e.scans.size(), i64_);
    const std::size_t skip = e.scans.size() + e.reductions.size();
    parameters.insert(parameters.end(),
                      e.map.result_types.begin() + static_cast<std::ptrdiff_t>(skip),
                      e.map.result_types.end());
    e.post = out.lambda(parameters, {}, [&](Builder& inner, const std::vector<NameId>& p) {
      std::vector<Operand> results;
      inner_scope([&] {
        for (const NameId name : p) add_name(name, false);
        statements(inner, below(3), depth + 1);
        results = {i64()};
      });
      return results;
    });
  }

  void histogram(Builder& out, int depth) {
    const Operand width = any(sizes_);
    const std::vector<NameId> arrays = arrays_of_width(width);
    const Operand bins = any(sizes_);
    const NameId destination = value_of(out, array_of(ScalarType::i64, {bins}), true).name();
    Lambda map = map_lambda(out, arrays, {i64_, i64_}, depth);
    Histogram e{width, arrays, std::move(map), {}};
    e.map.result_types = {i64_, i64_};
    e.operators.push_back({{bins}, {destination}, {i64_operand(0)}, binary(ScalarType::i64)});
    add_name(out.add(std::move(e), "h"), true);
  }
  /// An array to write to: one of the scope, which it then has no more, or a new one.
  NameId destination(Builder& out, const std::vector<Operand>& shape) {
    const Type type = array_of(ScalarType::i64, shape);
    const auto owned = any_owned([&](const Type& other) { return other == type; });
    if (!owned || below(2) == 0) return value_of(out, type, true).name();
    consume(*owned);
    return *owned;
  }
  void scatter(Builder& out, int depth) {
    const Operand width = any(sizes_);
    const std::vector<NameId> arrays = arrays_of_width(width);
    // One place may get only one value: write at the index itself.
    std::vector<NameId> all = arrays;
    all.push_back(out.add(Iota{ScalarType::i64, width, i64_operand(0), i64_operand(1)}, "is"));
    const int count = 1 + below(3);
    const std::vector<Type> values(static_cast<std::size_t>(count), i64_);
    Scatter e{width, all, map_lambda(out, all, values, depth), {}};
    for (int k = 0; k < count; ++k) {
      const auto place = e.map.body.results.begin() + 2 * k;
      e.map.body.results.insert(place, e.map.parameters.back().name);
      e.map.result_types.push_back(i64_);
      e.targets.push_back({{any(sizes_)}, NameId()});
      e.targets.back().destination = destination(out, e.targets.back().shape);
    }
    for (const NameId name : out.add_results(std::move(e), "w")) add_name(name, true);
  }
  void accumulate(Builder& out, int depth) {
    const Operand width = any(sizes_);
    const std::vector<NameId> arrays = arrays_of_width(width);
    const Type type = array_of(ScalarType::i64, {any(sizes_)});
    const NameId destination = value_of(out, type, true).name();
    const Type accumulator{type.element, type.shape, TypeKind::accumulator};
    Lambda body = out.lambda({accumulator}, {"acc"}, [&](Builder& in,
                                                         const std::vector<NameId>& outer) {
      Lambda map = map_lambda(in, arrays, {i64_, i64_}, depth);
      const NameId acc = names().fresh("acc", accumulator);
      map.parameters.push_back({acc});
      Builder inner(names());
      inner.add_all(std::move(map.body.statements));
      const NameId done =
          inner.add(Accumulate{acc, {map.body.results[0]}, map.body.results[1]}, "acc");
      map.body = inner.take_body({done});
      map.result_types = {accumulator};
      std::vector<NameId> all = arrays;
      all.push_back(outer[0]);
      return std::vector<Operand>{
          in.add(MapScanReduce{width, all, std::move(map), {}, {}, std::nullopt, false}, "acc")};
    });
    AccumulatorInput input{{type.shape[0]}, destination, addition(ScalarType::i64, {}, names()),
                           {i64_operand(0)}};
    add_name(out.add(WithAccumulator{{std::move(input)}, std::move(body)}, "acced"), true);
  }
  void flatmap(Builder& out, int depth) {
    const Operand width = any(sizes_);
    const std::vector<NameId> arrays = arrays_of_width(width);
    Lambda map = map_lambda(out, arrays, {i64_, i64_}, depth);
    Builder inner(names());
    inner.add_all(std::move(map.body.statements));
    const Operand length = inner.add(Scalar{ScalarOp::smod_floor, ScalarType::i64,
                                            ScalarType::i64,
                                            {map.body.results[0], i64_operand(3)}}, "length");
    const Operand segment = inner.add(
        Iota{ScalarType::i64, length, map.body.results[1], i64_operand(1)}, "segment");
    map.body = inner.take_body({length, segment, map.body.results[1]});
    map.result_types = {i64_, array_of(ScalarType::i64, {i64_operand(0)}), i64_};
    for (const NameId name : out.add_results(FlatMap{width, arrays, std::move(map), 1}, "fm")) {
      add_name(name, true);
    }
  }

  // -------------------------------------------------------------- the whole

  void statements(Builder& out, int count, int depth) {
    for (int i = 0; i < count; ++i) {
      const int kind = below(depth >= deepest ? 7 : 20);
      if (kind < 4) {
        scalar_statement(out);
      } else if (kind < 8) {
        array_statement(out);
      } else if (kind < 10) {
        branch(out, depth);
      } else if (kind < 12) {
        loop(out, depth);
      } else if (kind < 16) {
        map_scan_reduce(out, depth);
      } else if (kind == 16) {
        histogram(out, depth);
      } else if (kind == 17) {
        scatter(out, depth);
      } else if (kind == 18) {
        accumulate(out, depth);
      } else if (depth == 0) {
        flatmap(out, depth);
      }
    }
  }

  void results(Function& function) {
    std::vector<NameId> candidates = names_such_that([](const Type& type) {
      return std::all_of(type.shape.begin(), type.shape.end(), [](const Operand& size) {
        return size.is_constant() || size.name().index < 2;
      });
    });
    for (int k = 0; k < 1 + below(4); ++k) {
      const NameId name = any(candidates);
      function.body.results.push_back(name);
      function.result_types.push_back(names().type(name));
    }
  }

  std::mt19937_64 random_;
  Program program_;
  const Type i64_ = scalar_of(ScalarType::i64);
  std::vector<Operand> sizes_;
  std::vector<Entry> scope_;
};

}  // namespace

GeneratedProgram generate_program(std::uint64_t seed) { return Generator(seed).run(); }

}  // namespace dagaz::fuzz
