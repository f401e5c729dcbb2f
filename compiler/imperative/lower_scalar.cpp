// Scalar statements and asserts.
#include "imperative/lowering.h"

namespace dagaz::imperative {

void Lowering::lower(const ir::Statement& s, const ir::Identity& e) {
  assign(s.results[0].name, value_of(e.value));
}

void Lowering::lower(const ir::Statement& s, const ir::Scalar& e) {
  if (mode_ == Mode::host && e.result == ScalarType::i64) {
    host_scalars_.insert_or_assign(s.results[0].name, e);
  }
  emit(Assign{s.results[0].name, e.op, e.type, e.result, e.arguments, reassociate_});
}

void Lowering::lower(const ir::Statement& s, const ir::Assert& e) {
  if (e.condition.is_constant() && e.condition.constant().bits != 0) return;
  const std::vector<Operand> arguments = e.arguments;
  Code failing = collect([&] { fail(e.message, arguments, s.location); });
  emit(If{e.condition, {}, std::move(failing)});
}

void Lowering::fail(const std::string& text, const std::vector<Operand>& arguments,
                    ir::LocationId location) {
  for (std::size_t k = 0; k < program_.failures.size(); ++k) {
    const Failure& known = program_.failures[k];
    if (known.text == text && known.location == location) {
      emit(Fail{static_cast<int>(k), arguments});
      return;
    }
  }
  program_.failures.push_back({text, location});
  emit(Fail{static_cast<int>(program_.failures.size() - 1), arguments});
}

}  // namespace dagaz::imperative
