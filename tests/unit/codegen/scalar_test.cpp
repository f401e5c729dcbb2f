// Every scalar operation, on every type it has, gives what ir::evaluate says.  Operands are
// loaded from arrays and results stored to arrays as bit patterns, in loops that LLVM may
// vectorise, so that the vector forms are tested too.
#include <algorithm>
#include <doctest/doctest.h>
#include <iomanip>

#include <cmath>
#include <cstdlib>
#include <sstream>

#include "codegen/program_builder.h"

using namespace codegen_test;
using namespace dagaz::tree;
namespace ir = dagaz::ir;

namespace {

/// An operation at an operand type, with its result type.
struct Case {
  ScalarOp op;
  ScalarType type;
  ScalarType result;
};

ScalarType bits_type(ScalarType type) {
  switch (ir::byte_size(type)) {
    case 1: return ScalarType::i8;
    case 2: return ScalarType::i16;
    case 4: return ScalarType::i32;
    default: return ScalarType::i64;
  }
}

const std::vector<ScalarType> all_types = {ScalarType::boolean, ScalarType::i8,  ScalarType::i16,
                                           ScalarType::i32,     ScalarType::i64, ScalarType::f16,
                                           ScalarType::f32,     ScalarType::f64};

std::vector<ScalarOp> all_ops() {
  return {
#define DZ_SCALAR_OP(name, ...) ScalarOp::name,
#include "ir/scalar_ops.def"
#undef DZ_SCALAR_OP
  };
}

bool takes(ScalarOp op, ScalarType type) {
  switch (ir::operands_of(op)) {
    case ir::Operands::integers: return ir::is_integer(type);
    case ir::Operands::floats: return ir::is_float(type);
    case ir::Operands::booleans: return type == ScalarType::boolean;
    case ir::Operands::integers_or_booleans: return !ir::is_float(type);
    case ir::Operands::numbers: return type != ScalarType::boolean;
    case ir::Operands::any: return true;
  }
  return false;
}

/// The result types that a conversion from `type` can have.
std::vector<ScalarType> converted_types(ScalarOp op, ScalarType type) {
  std::vector<ScalarType> results;
  for (const ScalarType result : all_types) {
    const bool same_width = ir::bit_width(result) == ir::bit_width(type);
    switch (op) {
      case ScalarOp::sign_extend:
      case ScalarOp::zero_extend:
      case ScalarOp::float_to_signed:
      case ScalarOp::float_to_unsigned:
        if (ir::is_integer(result)) results.push_back(result);
        break;
      case ScalarOp::float_to_bits:
        if (ir::is_integer(result) && same_width) results.push_back(result);
        break;
      case ScalarOp::bits_to_float:
        if (ir::is_float(result) && same_width) results.push_back(result);
        break;
      default:
        if (ir::is_float(result)) results.push_back(result);
    }
  }
  return results;
}

std::vector<Case> cases_of(ScalarType type) {
  std::vector<Case> cases;
  for (const ScalarOp op : all_ops()) {
    if (!takes(op, type)) continue;
    if (ir::result_kind_of(op) == ir::ResultKind::converted) {
      for (const ScalarType result : converted_types(op, type)) {
        cases.push_back({op, type, result});
      }
    } else {
      cases.push_back({op, type, ir::result_type(op, type, type)});
    }
  }
  return cases;
}

bool divides(ScalarOp op) {
  return op == ScalarOp::sdiv || op == ScalarOp::srem || op == ScalarOp::udiv ||
         op == ScalarOp::urem || op == ScalarOp::sdiv_floor || op == ScalarOp::smod_floor;
}

std::vector<ir::Constant> samples(ScalarType type) {
  std::vector<ir::Constant> values;
  if (type == ScalarType::boolean) return {ir::make_bool(false), ir::make_bool(true)};
  if (ir::is_integer(type)) {
    const auto lowest = -static_cast<std::int64_t>(std::uint64_t{1} << (ir::bit_width(type) - 1));
    for (const std::int64_t x : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1},
                                 std::int64_t{2}, std::int64_t{-2}, std::int64_t{3},
                                 std::int64_t{7}, std::int64_t{-8}, std::int64_t{31},
                                 std::int64_t{64}, std::int64_t{100}, std::int64_t{-77}, lowest,
                                 lowest + 1, -(lowest + 1)}) {
      values.push_back(ir::make_integer(type, x));
    }
    return values;
  }
  for (const double x :
       {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.7, -3.25, 0.1, 12.75, 100.25, 127.6,
        255.9, -128.5, -129.0, 65000.0, 1e10, -1e10, 1e19, 1e30, 1e-5, 1e-30, 0.999, 5e-8,
        std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    values.push_back(ir::make_float(type, x));
  }
  return values;
}

/// The operands of each element: all pairs of samples; the third is a sample too.
struct Inputs {
  std::vector<ir::Constant> a;
  std::vector<ir::Constant> b;
  std::vector<ir::Constant> c;
};

Inputs inputs_of(ScalarType type) {
  Inputs inputs;
  const std::vector<ir::Constant> values = samples(type);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      inputs.a.push_back(values[i]);
      inputs.b.push_back(values[k]);
      inputs.c.push_back(values[(i + 3 * k) % values.size()]);
    }
  }
  return inputs;
}

/// What the program passes to `op` for operands a, b, c.
std::vector<ir::Constant> arguments_of(const Case& test, const ir::Constant& a,
                                       const ir::Constant& b, const ir::Constant& c) {
  if (test.op == ScalarOp::select) return {ir::make_bool((a.bits & 1) != 0), b, c};
  if (test.op == ScalarOp::ldexp) {
    return {a, ir::make_integer(ScalarType::i32, static_cast<std::int8_t>(b.bits >> 2))};
  }
  if (divides(test.op) && b.bits == 0) return {a, ir::one_of(test.type)};
  std::vector<ir::Constant> all = {a, b, c};
  all.resize(static_cast<std::size_t>(ir::arity_of(test.op)));
  return all;
}

/// Emits a conversion between a value and its bits.
Operand convert(ProgramBuilder& b, Operand value, ScalarType from, ScalarType to) {
  if (from == to) return value;
  const NameId target = b.scalar("bits", to);
  const ScalarOp op = ir::is_float(to)                ? ScalarOp::bits_to_float
                      : ir::is_float(from)            ? ScalarOp::float_to_bits
                      : to == ScalarType::boolean     ? ScalarOp::to_boolean
                                                      : ScalarOp::zero_extend;
  b.emit(Assign{target, op, from, to, {value}, false});
  return target;
}

std::vector<Operand> emit_arguments(ProgramBuilder& b, const Case& test,
                                    const std::vector<Operand>& bits,
                                    const std::vector<Operand>& values) {
  const ScalarType raw = bits_type(test.type);
  const auto low_bit = [&](const Operand& operand) {
    const Operand one = Operand(ir::one_of(raw));
    return convert(b, b.op(ScalarOp::bit_and, raw, {operand, one}), raw, ScalarType::boolean);
  };
  if (test.op == ScalarOp::select) return {low_bit(bits[0]), values[1], values[2]};
  if (test.op == ScalarOp::ldexp) {
    const Operand shifted =
        b.op(ScalarOp::lshr, raw, {bits[1], Operand(ir::make_integer(raw, 2))});
    const NameId byte = b.scalar("byte", ScalarType::i8);
    const NameId exponent = b.scalar("exponent", ScalarType::i32);
    b.emit(Assign{byte, ScalarOp::sign_extend, raw, ScalarType::i8, {shifted}, false});
    b.emit(Assign{exponent, ScalarOp::sign_extend, ScalarType::i8, ScalarType::i32, {byte}, false});
    return {values[0], exponent};
  }
  std::vector<Operand> all = values;
  if (divides(test.op)) {
    const Operand zero =
        b.op(ScalarOp::eq, test.type, {values[1], Operand(ir::zero_of(test.type))});
    all[1] = b.op(ScalarOp::select, test.type, {zero, Operand(ir::one_of(test.type)), values[1]});
  }
  all.resize(static_cast<std::size_t>(ir::arity_of(test.op)));
  return all;
}

dagaz::tree::Program program_of(const std::vector<Case>& cases) {
  const ScalarType type = cases[0].type;
  const ScalarType raw = bits_type(type);
  const std::string raw_name(ir::name_of(raw));
  ProgramBuilder b(Target::cpu);
  const NameId n = b.scalar("n");
  b.size_parameter(n);
  const std::vector<NameId> blocks = {b.block("a"), b.block("b"), b.block("c")};
  for (const NameId block : blocks) b.array_input(block, raw, raw_name, n);
  for (const Case& test : cases) {
    const ScalarType out = bits_type(test.result);
    const NameId result = b.block("result");
    const NameId i = b.scalar("i");
    b.emit(Allocate{result, b.op(ScalarOp::mul, ScalarType::i64, {n, number(ir::byte_size(out))})});
    Code body = b.collect([&] {
      std::vector<Operand> bits;
      std::vector<Operand> values;
      for (const NameId block : blocks) {
        const NameId loaded = b.scalar("loaded", raw);
        b.emit(Load{loaded, block, i, raw, Space::global, true});
        bits.push_back(loaded);
        values.push_back(convert(b, loaded, raw, type));
      }
      const NameId value = b.scalar("value", test.result);
      b.emit(Assign{value, test.op, type, test.result, emit_arguments(b, test, bits, values),
                    false});
      b.emit(Store{result, i, convert(b, value, test.result, out), out, Space::global});
    });
    b.emit(For{i, n, std::move(body), LoopHints{true, false}});
    b.array_output(result, out, std::string(ir::name_of(out)), n);
  }
  return b.finish();
}

std::string text_of(const std::vector<ir::Constant>& values, ScalarType raw) {
  std::ostringstream out;
  out << '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    out << (i == 0 ? "" : ",") << ir::integer_value({raw, values[i].bits}) << ir::name_of(raw);
  }
  out << "]\n";
  return out.str();
}

std::vector<std::int64_t> numbers_in(const std::string& line) {
  std::vector<std::int64_t> numbers;
  for (std::size_t at = 0; at < line.size();) {
    const bool starts = line[at] == '-' || (line[at] >= '0' && line[at] <= '9');
    if (!starts) {
      ++at;
      continue;
    }
    char* end = nullptr;
    numbers.push_back(std::strtoll(line.c_str() + at, &end, 10));
    at = static_cast<std::size_t>(end - line.c_str());
    at = std::min(line.find_first_of(",]", at), line.size());
  }
  return numbers;
}

bool agree(const ir::Constant& wanted, const ir::Constant& found) {
  if (wanted == found) return true;
  if (!ir::is_float(wanted.type)) return false;
  const double x = ir::float_value(wanted);
  const double y = ir::float_value(found);
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
  // glibc's vector functions promise 4 units in the last place.
  const double relative = wanted.type == ScalarType::f64 ? 2e-15
                          : wanted.type == ScalarType::f32 ? 6e-7
                                                           : 1e-3;
  const double smallest = wanted.type == ScalarType::f64 ? 1e-300
                          : wanted.type == ScalarType::f32 ? 1e-37
                                                           : 1e-7;
  return std::fabs(x - y) <= relative * std::fabs(x) + smallest;
}

void compare(ScalarType type, const std::string& processor, int level) {
  const std::vector<Case> cases = cases_of(type);
  const Inputs inputs = inputs_of(type);
  const ScalarType raw = bits_type(type);
  auto options = test_options();
  options.cpu = processor;
  options.optimisation = level;
  const std::string operands =
      text_of(inputs.a, raw) + text_of(inputs.b, raw) + text_of(inputs.c, raw);
  const auto outcome = run(program_of(cases), operands, options);
  REQUIRE(outcome.errors == "");
  std::istringstream lines(outcome.output);
  for (const Case& test : cases) {
    std::string line;
    std::getline(lines, line);
    const std::vector<std::int64_t> found = numbers_in(line);
    REQUIRE(found.size() == inputs.a.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto arguments = arguments_of(test, inputs.a[i], inputs.b[i], inputs.c[i]);
      const auto wanted = ir::evaluate(test.op, type, test.result, arguments);
      REQUIRE(wanted);
      const ir::Constant got{test.result,
                             ir::make_integer(bits_type(test.result), found[i]).bits};
      if (agree(*wanted, got)) continue;
      std::ostringstream message;
      message << ir::name_of(test.op) << ' ' << ir::name_of(type) << " -> "
              << ir::name_of(test.result) << " of";
      for (const ir::Constant& argument : arguments) message << ' ' << std::hex << argument.bits;
      message << " gives " << got.bits << ", not " << wanted->bits;
      FAIL_CHECK(message.str());
      break;
    }
  }
}

}  // namespace

TEST_CASE("scalar operations on this processor") {
  for (const ScalarType type : all_types) compare(type, "native", 3);
}

TEST_CASE("scalar operations on any x86-64") {
  for (const ScalarType type : all_types) compare(type, "generic", 3);
}

TEST_CASE("scalar operations without optimisation") {
  for (const ScalarType type : all_types) compare(type, "native", 0);
}
