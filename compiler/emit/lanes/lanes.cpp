#include "emit/lanes/lanes.h"

#include <string>

namespace dagaz::emit {

void refuse(std::string_view what) {
  DZ_UNREACHABLE("the schedule runs in lanes what cannot: " + std::string(what));
}

}  // namespace dagaz::emit
