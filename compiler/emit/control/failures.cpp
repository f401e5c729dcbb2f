#include "emit/control/failures.h"

namespace dagaz::emit {

void fail(Context& c, const std::string& text, const std::vector<Operand>& arguments,
          ir::LocationId location) {
  for (std::size_t k = 0; k < c.program.failures.size(); ++k) {
    const Failure& known = c.program.failures[k];
    if (known.text == text && known.location == location) {
      c.emit(Fail{static_cast<int>(k), arguments});
      return;
    }
  }
  c.program.failures.push_back({text, location});
  c.emit(Fail{static_cast<int>(c.program.failures.size() - 1), arguments});
}

}  // namespace dagaz::emit
