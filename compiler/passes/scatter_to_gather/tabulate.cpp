#include "passes/scatter_to_gather/tabulate.h"

#include <utility>

namespace dagaz::passes::gathering {

using namespace ir;

Operand tabulate(const std::vector<Operand>& shape, std::vector<Operand> at, const Element& element,
                 Builder& out) {
  return tabulate_partly(shape, std::vector<bool>(shape.size()), {}, std::move(at), element, out);
}

Operand tabulate_partly(const std::vector<Operand>& shape, const std::vector<bool>& written_out,
                        ScalarType type, std::vector<Operand> at, const Element& element,
                        Builder& out) {
  const std::size_t dimension = at.size();
  if (dimension == shape.size()) return element(out, at);
  at.emplace_back();
  if (!written_out[dimension]) {
    return out.map_indices(
        shape[dimension],
        [&](Builder& in, const std::vector<NameId>& own) {
          at.back() = own[0];
          return std::vector<Operand>{tabulate_partly(shape, written_out, type, at, element, in)};
        },
        "sums")[0];
  }
  const auto below = shape.begin() + static_cast<std::ptrdiff_t>(dimension) + 1;
  ArrayLiteral all{Type{type, {below, shape.end()}, TypeKind::value}, {}};
  for (std::int64_t k = 0; k < integer_value(shape[dimension].constant()); ++k) {
    at.back() = i64_operand(k);
    all.elements.push_back(tabulate_partly(shape, written_out, type, at, element, out));
  }
  return out.add(std::move(all), "sums");
}

Operand combine(const std::vector<Operand>& shape, std::vector<Operand> at, ScalarOp op,
                ScalarType type, const Element& build, Builder& out) {
  if (at.size() == shape.size()) return build(out, at);
  at.emplace_back();
  const Operand width = shape[at.size() - 1];
  const NameId indices =
      out.add(Iota{ScalarType::i64, width, i64_operand(0), i64_operand(1)}, "indices");
  const Type element = scalar_of(type);
  MapScanReduce sum;
  sum.width = width;
  sum.arrays = {indices};
  sum.map = out.lambda({scalar_of(ScalarType::i64)}, {"k"},
                       [&](Builder& in, const std::vector<NameId>& own) {
                         at.back() = own[0];
                         return std::vector<Operand>{combine(shape, at, op, type, build, in)};
                       });
  sum.map.result_types = {element};
  Lambda operation =
      out.lambda({element, element}, {"x", "y"}, [&](Builder& in, const std::vector<NameId>& p) {
        return std::vector<Operand>{in.scalar(op, type, {p[0], p[1]}, "sum")};
      });
  const Constant neutral = op == ScalarOp::add ? zero_of(type) : one_of(type);
  sum.reductions.push_back({std::move(operation), {neutral}, true});
  return out.add(std::move(sum), "sum");
}

Operand both(const Operand& a, const Operand& b, Builder& out) {
  if (a == Operand(make_bool(true))) return b;
  return out.scalar(ScalarOp::bit_and, ScalarType::boolean, {a, b}, "inside");
}

Operand is_less(const Operand& a, const Operand& b, Builder& out) {
  return out.scalar(ScalarOp::slt, ScalarType::i64, {a, b}, "inside");
}

}  // namespace dagaz::passes::gathering
