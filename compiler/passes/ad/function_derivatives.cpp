// Derivatives of functions.  Each is declared at once, since it may call itself, and made when the
// function it is the derivative of is finished: that one may be what asks for it.
#include "passes/ad/function_derivatives.h"

#include <algorithm>
#include <utility>

#include "passes/ad/forward.h"
#include "passes/ad/normalise.h"
#include "passes/ad/reverse.h"
#include "passes/ad/sequential_accumulators.h"
#include "support/check.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

/// A function that differentiates calls of itself has derivatives of every order, each of which
/// calls the next one.  They are made up to this order; needing more is an error at run time.
constexpr int highest_order = 5;

/// Calls `each` for the parameters that carry derivatives.
template <typename Each>
void for_each_active(const std::vector<Binder>& parameters, const Names& names, Each&& each) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Type& type = names.type(parameters[i].name);
    if (carries_derivative(type)) each(i, type);
  }
}

}  // namespace

void Functions::finish_all() {
  std::vector<std::string> names;
  for (const Function& each : program_->functions) names.push_back(each.name);
  for (const std::string& name : names) finish(name);
  while (!pending_.empty()) {
    const std::function<void()> make = std::move(pending_.front());
    pending_.pop_front();
    make();
  }
  for (Function& each : derived_) program_->functions.push_back(std::move(each));
  derived_.clear();
}

const Function& Functions::function(const std::string& name) {
  for (const Function& each : program_->functions) {
    if (each.name == name) return each;
  }
  for (const Function& each : derived_) {
    if (each.name == name) return each;
  }
  DZ_UNREACHABLE("a call of an unknown function");
}

void Functions::finish(const std::string& name) {
  State& state = states_[name];
  if (state != State::untouched) return;
  state = State::running;
  for (Function& each : program_->functions) {
    if (each.name == name) differentiate_(each.body);
  }
  states_[name] = State::finished;
}

// ---------------------------------------------------------------- derivatives

void Functions::add(Function header, const std::string& of, MakeBody make) {
  const std::string name = header.name;
  states_[name] = State::running;
  const int order = orders_[of] + 1;
  orders_[name] = order;
  derived_.push_back(std::move(header));
  // Making one derivative may declare others behind it; references into a deque stay.
  Function& derivative = derived_.back();
  finish(of);
  const bool by_itself = states_[of] != State::finished;
  if (by_itself && order > highest_order) {
    make = [this](const Function&, Function& result) { return too_deep_body(result); };
  }
  const auto finish_derivative = [this, of, &derivative, make = std::move(make)] {
    derivative.body = make(function(of), derivative);
    states_[derivative.name] = State::finished;
  };
  if (by_itself) {
    pending_.push_back(finish_derivative);
  } else {
    finish_derivative();
  }
}

std::string Functions::forward_version(const std::string& name, int directions) {
  const std::string many = directions > 1 ? std::to_string(directions) : "";
  const std::string version = name + "_jvp" + many;
  if (is_known(version)) return version;
  Function header = forward_header(function(name), directions);
  header.name = version;
  add(std::move(header), name, [this, directions](const Function& of, Function& result) {
    return forward_body(of, directions, result);
  });
  return version;
}

std::string Functions::reverse_version(const std::string& name) {
  const std::string version = name + "_vjp";
  if (is_known(version)) return version;
  Function header = reverse_header(function(name));
  header.name = version;
  add(std::move(header), name, [this](const Function& of, Function& result) {
    return reverse_body(of, result);
  });
  return version;
}

Function Functions::forward_header(const Function& original, int directions) {
  Names& names = program_->names;
  Builder out(names);
  Environment environment(names, out, *this);
  Function result;
  result.parameters = environment.bind_fresh(original.parameters);
  result.consumes = original.consumes;
  for_each_active(original.parameters, names, [&](std::size_t i, const Type& type) {
    const std::string base = names.base(original.parameters[i].name) + "_tangent";
    for (int j = 0; j < directions; ++j) {
      result.parameters.push_back(Binder{names.fresh(base, environment.type(type))});
      result.consumes.push_back(original.consumes[i]);
    }
  });
  for (const Type& type : original.result_types) {
    result.result_types.push_back(environment.type(type));
  }
  for (const Type& type : original.result_types) {
    if (!carries_derivative(type)) continue;
    for (int j = 0; j < directions; ++j) result.result_types.push_back(environment.type(type));
  }
  return result;
}

Function Functions::reverse_header(const Function& original) {
  Names& names = program_->names;
  Builder out(names);
  Environment environment(names, out, *this);
  Function result;
  result.parameters = environment.bind_fresh(original.parameters);
  for (const Operand& size : sizes_known_inside(original)) {
    const NameId parameter = names.fresh("size", scalar_of(ScalarType::i64));
    result.parameters.push_back(Binder{parameter});
    environment.bind(size.name(), parameter);
  }
  for (const Type& type : original.result_types) {
    if (!carries_derivative(type)) continue;
    result.parameters.push_back(Binder{names.fresh("seed", environment.type(type))});
  }
  for_each_active(original.parameters, names, [&](std::size_t, const Type& type) {
    result.result_types.push_back(environment.type(type));
  });
  result.consumes.assign(result.parameters.size(), false);
  return result;
}

Body Functions::forward_body(Function original, int directions, Function& result) {
  Names& names = program_->names;
  original.body = with_ordered_accumulation(std::move(original.body), DerivativeMode::forward,
                                            names);
  Builder out(names);
  Environment environment(names, out, *this);
  Forward forward(environment, directions);
  for (std::size_t i = 0; i < original.parameters.size(); ++i) {
    environment.bind(original.parameters[i].name, result.parameters[i].name);
  }
  std::size_t next = original.parameters.size();
  for_each_active(original.parameters, names, [&](std::size_t i, const Type&) {
    for (int j = 0; j < directions; ++j) {
      forward.tangents.seed(original.parameters[i].name, j, result.parameters[next++].name);
    }
  });
  differentiate_forward(forward, original.body.statements);
  std::vector<Operand> results = environment.operands(original.body.results);
  for (const Operand& value : original.body.results) {
    if (!carries_derivative(names.type(value))) continue;
    for (int j = 0; j < directions; ++j) results.push_back(forward.tangents.or_zero(value, j));
  }
  // Sizes that are known only inside are those of this body.
  for (Type& type : result.result_types) type = environment.type(type);
  return out.take_body(std::move(results));
}

Body Functions::reverse_body(const Function& original, const Function& result) {
  Names& names = program_->names;
  Lambda lambda =
      renamed(Lambda{original.parameters, original.body, original.result_types}, names);
  lambda.body = with_ordered_accumulation(std::move(lambda.body), DerivativeMode::reverse, names);
  lambda.body = normalise(std::move(lambda.body), names);
  Builder out(names);
  Environment environment(names, out, *this);
  Reverse reverse{environment, report_, {}};
  for (std::size_t i = 0; i < lambda.parameters.size(); ++i) {
    environment.bind(lambda.parameters[i].name, result.parameters[i].name);
    reverse.adjoints.activate(lambda.parameters[i].name);
  }
  reverse.adjoints.analyse(lambda.body.statements);
  forward_sweep(reverse, lambda.body.statements);
  std::size_t next = lambda.parameters.size() + sizes_known_inside(original).size();
  for (const Operand& value : lambda.body.results) {
    if (!carries_derivative(names.type(value))) continue;
    NameId seed = result.parameters[next++].name;
    const Type type = environment.type_of(value);
    // The same sizes under the names that they have here.
    if (type != names.type(seed)) seed = out.add(Reshape{seed, type.shape}, "seed");
    reverse.adjoints.add(value, seed, Ownership::shared);
  }
  return_sweep(reverse, lambda.body.statements);
  std::vector<Operand> results;
  for_each_active(lambda.parameters, names, [&](std::size_t i, const Type&) {
    results.push_back(reverse.adjoints.take_owned(lambda.parameters[i].name));
  });
  return out.take_body(std::move(results));
}

Body Functions::too_deep_body(const Function& result) {
  Builder out(program_->names);
  Environment environment(program_->names, out, *this);
  const NameId token = out.add(
      Assert{Operand(make_bool(false)),
             "this recursion differentiates itself more than {} levels deep",
             {i64_operand(highest_order)}},
      "checked");
  out.set_tokens({token});
  std::vector<Operand> results;
  for (const Type& type : result.result_types) {
    results.push_back(out.as_name(environment.zero(type), "zero"));
  }
  return out.take_body(std::move(results));
}

}  // namespace dagaz::passes::ad
