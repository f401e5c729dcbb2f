// The reference interpreter: slow and obvious, the oracle of every differential test.  It runs
// stage parallel, Differentiate excepted (the AD pass removes it first), and stage flat.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "ir/elements.h"
#include "ir/program.h"
#include "ir/traces.h"

namespace dagaz::ir {

/// A scalar (empty shape) or a dense row-major array; elements as Constant::bits.
struct Value {
  ScalarType element = ScalarType::i64;
  std::vector<std::int64_t> shape = {};
  Elements elements = {};
  bool operator==(const Value&) const = default;
};

/// A failed assert: the message with its arguments filled in, and where.
struct RuntimeError {
  std::string message;
  LocationId location;
};

/// Is told what is traced, and the values of its leaves, in the order of evaluation.
using OnTrace = std::function<void(const Traced& traced, const std::vector<Value>& leaves)>;

/// Runs `function` of `program`.
std::variant<std::vector<Value>, RuntimeError> interpret(const Program& program,
                                                         const std::string& function,
                                                         std::vector<Value> arguments,
                                                         const OnTrace& on_trace);
/// The same without hearing of traces.
std::variant<std::vector<Value>, RuntimeError> interpret(const Program& program,
                                                         const std::string& function,
                                                         std::vector<Value> arguments);

}  // namespace dagaz::ir
