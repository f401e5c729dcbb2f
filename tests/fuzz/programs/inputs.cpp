#include "inputs.h"

#include <bit>
#include <cstdio>
#include <map>

namespace dagaz::fuzz {

namespace {

using Random = std::mt19937_64;

std::int64_t below(Random& random, std::int64_t limit) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
}

// Around vector widths and, for the first size, around blocks of a GPU.
std::int64_t random_size(Random& random, bool large) {
  static const std::vector<std::int64_t> small = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17};
  static const std::vector<std::int64_t> all = {0,  1,  2,  3,  7,  8,   9,   15,  16, 17,
                                                31, 32, 33, 64, 65, 100, 255, 256, 257};
  const std::vector<std::int64_t>& from = large ? all : small;
  return from[static_cast<std::size_t>(below(random, static_cast<std::int64_t>(from.size())))];
}

std::int64_t random_integer(Random& random, Scalar type) {
  if (type == Scalar::boolean) return below(random, 2);
  const bool small = below(random, 4) != 0;
  const std::int64_t low = is_signed(type) ? (small ? -10 : -100) : 0;
  if (below(random, 40) == 0 && is_signed(type)) {
    return -(std::int64_t{1} << (bits_of(type) - 2)) * 2;
  }
  return low + below(random, (small ? 20 : 200) / (is_signed(type) ? 1 : 2));
}

double random_real(Random& random, Ties ties) {
  if (ties == Ties::kept && below(random, 3) != 0) {
    return static_cast<double>(below(random, 33) - 16) / 8;
  }
  return static_cast<double>(below(random, std::int64_t{1} << 22)) / (std::int64_t{1} << 20) - 2;
}

void append_number(std::string& out, const Argument& argument, std::size_t index) {
  const Scalar type = argument.type.scalar;
  if (type == Scalar::boolean) {
    out += argument.integers[index] != 0 ? "true" : "false";
    return;
  }
  if (is_real(type)) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, type == Scalar::f32 ? "%.9g" : "%.17g",
                  argument.reals[index]);
    out += buffer;
  } else {
    out += std::to_string(argument.integers[index]);
  }
  out += name_of(type);
}

void append_array(std::string& out, const Argument& argument, std::size_t level,
                  std::size_t& next) {
  if (level == argument.shape.size()) return append_number(out, argument, next++);
  out += "[";
  for (std::int64_t i = 0; i < argument.shape[level]; ++i) {
    if (i > 0) out += ", ";
    append_array(out, argument, level + 1, next);
  }
  out += "]";
}

std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 31;
  x *= 0x9e3779b97f4a7c15;
  return x ^ (x >> 29);
}

}  // namespace

Input make_input(const GeneratedProgram& program, std::uint64_t seed, Ties ties) {
  Random random(seed);
  std::map<std::string, std::int64_t> sizes;
  for (const std::string& name : program.sizes) sizes[name] = random_size(random, name == "n");
  Input input;
  for (const Parameter& parameter : program.parameters) {
    Argument argument;
    argument.type = parameter.type;
    std::int64_t count = 1;
    for (const std::string& size : parameter.type.sizes) {
      const auto found = sizes.find(size);
      argument.shape.push_back(found != sizes.end() ? found->second : std::stoll(size));
      count *= argument.shape.back();
    }
    for (std::int64_t i = 0; i < count; ++i) {
      if (is_real(parameter.type.scalar)) {
        argument.reals.push_back(random_real(random, ties));
      } else {
        argument.integers.push_back(random_integer(random, parameter.type.scalar));
      }
    }
    input.push_back(std::move(argument));
  }
  return input;
}

Input perturbed(const Input& input, std::uint64_t seed, double amount, Ties ties) {
  Input result = input;
  std::uint64_t number = 0;
  for (Argument& argument : result) {
    for (double& x : argument.reals) {
      const std::uint64_t source = ties == Ties::kept ? std::bit_cast<std::uint64_t>(x) : ++number;
      const std::uint64_t chance = mixed(mixed(source + 1) ^ mixed(seed * 31 + 7));
      const double part = 0.5 + static_cast<double>((chance >> 20) % 1000) / 2000;
      x *= 1 + ((chance & 1) != 0 ? amount : -amount) * part;
    }
  }
  return result;
}

std::string text_of(const Input& input) {
  std::string out;
  for (const Argument& argument : input) {
    bool empty = false;
    for (const std::int64_t size : argument.shape) empty = empty || size == 0;
    if (empty) {
      out += "empty(";
      for (const std::int64_t size : argument.shape) out += "[" + std::to_string(size) + "]";
      out += std::string(name_of(argument.type.scalar)) + ")";
    } else {
      std::size_t next = 0;
      append_array(out, argument, 0, next);
    }
    out += "\n";
  }
  return out;
}

}  // namespace dagaz::fuzz
