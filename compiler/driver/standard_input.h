// Forms of input that compiled programs leave to the compiler.
#pragma once

namespace dagaz::driver {

/// If an archive of arrays is waiting on standard input, puts its arrays there instead.  False,
/// after saying why, if it cannot be read.
bool unpack_standard_input();

}  // namespace dagaz::driver
