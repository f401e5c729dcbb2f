// Values that properties are tried with: made at random by type, and written as a program would
// write them.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "data/split_mix.h"
#include "driver/entry_calls.h"
#include "ir/program.h"

namespace dagaz::driver {

/// Makes a value of `type` by the program's own generator `gen_TYPE`; nothing if there is none, or
/// with `problem` if it fails.
using MadeByProgram =
    std::function<std::optional<Leaves>(const ir::ExternalType& type, int64_t size, uint64_t seed,
                                        std::string& problem)>;

class RandomValues {
 public:
  RandomValues(const ir::Program& program, MadeByProgram made_by_program)
      : program_(program), made_by_program_(std::move(made_by_program)) {}

  /// A value for the only parameter of `entry`: integers and booleans all equally likely, floats
  /// from 0 to 1 (f32 from -1), all sizes that its type leaves open `size`.  Nothing and `problem`
  /// if its type has parts that nobody can make.
  std::optional<Leaves> argument(const ir::EntryPoint& entry, int64_t size, uint64_t seed,
                                 std::string& problem) const;

 private:
  struct Making;
  bool make(Making& making, int type) const;

  const ir::Program& program_;
  MadeByProgram made_by_program_;
};

/// `[{a = 1i32, b = #none}]`: a value of the type with that number.
std::string value_text(const ir::Program& program, int type, const Leaves& leaves);

}  // namespace dagaz::driver
