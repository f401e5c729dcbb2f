// What a program says about its properties: the attributes `#[prop(gen(f), shrink(g), size(n))]` of
// its entry points, and whether they and the types of these functions fit together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/compile.h"

namespace dagaz::driver {

/// A property, and how its candidates are made; entry points by name.
struct Property {
  std::string name;
  std::optional<std::string> generator;
  std::optional<std::string> shrinker;
  std::optional<int64_t> size;
};

struct Properties {
  std::vector<Property> all;  // in the order of `declared`
  std::string problem;        // one line or more for each mistake; then there are none
};

/// The properties `declared` by test blocks, of a compilation whose front end has run.
Properties properties_of(const Compilation& compilation, const ir::Program& program,
                         const std::vector<std::string>& declared);

/// The entry point of that name, or null.
const ir::EntryPoint* find_entry_point(const ir::Program& program, const std::string& name);

/// `["i32","u64"]`: lines as the peer shows them in one.
std::string shown_list(const std::vector<std::string>& texts);

}  // namespace dagaz::driver
