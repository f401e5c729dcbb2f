#include "elaborate/scatters.h"

namespace dagaz::elaborate {

ir::Lambda write_of_element(Elaborator& e, TypeRef element) {
  std::vector<ir::Type> parameters{ir::scalar_of(ir::ScalarType::i64)};
  append_leaf_types(element, parameters);
  std::vector<ir::Type> results;
  for (std::size_t i = 1; i < parameters.size(); ++i) {
    results.push_back(parameters[0]);
    results.push_back(parameters[i]);
  }
  return e.lambda(parameters, results, [](const std::vector<ir::NameId>& p) {
    std::vector<ir::Operand> written;
    for (std::size_t i = 1; i < p.size(); ++i) {
      written.push_back(p[0]);
      written.push_back(p[i]);
    }
    return written;
  });
}

}  // namespace dagaz::elaborate
