// What printer and parser share: how the members of an instruction look as text.
//
//   program      target cpu  {type | entry}  {failure "text"}  {function}
//   entry        entry members  parameters [type, …] results [type, …]    of its leaves
//   function     [device] function "name" (name, …) code -> [operand, …]
//   code         { {instruction} }
//   instruction  [name, … =] mnemonic members
//              | name = scalar_op.type operand … [reassociate]    a conversion has a second .type
//   members      what is set stands before `=`; the others come in the order of DZ_FIELDS, without
//                their names but for these, each of which is left out where it says nothing:
//                  a boolean      its name, where it is true
//                  a Space        `shared` or `local`
//                  an optional    name and value
//                  second Code    name and code, unless it is empty
//                and those that the struct lists in `labelled`, always with their names
//   name         base_12; where it occurs first, with its type: base_12: i64
//   type         block  [8]f64 (lanes)  f64
//
// Constants, quoted texts, comments and numbers of names are as in ir/text.h.
#pragma once

#include "ir/text.h"
#include "tree/fields.h"

namespace dagaz::ir::text {

template <>
struct Spellings<tree::Target> {
  static constexpr std::array<std::string_view, 3> words = {"cpu", "cuda", "sim"};
};
template <>
struct Spellings<tree::Space> {
  static constexpr std::array<std::string_view, 3> words = {"global", "shared", "local"};
};
template <>
struct Spellings<tree::Special> {
  static constexpr std::array<std::string_view, 5> words = {"thread_index", "block_index",
                                                            "block_size", "grid_size", "failed"};
};
template <>
struct Spellings<tree::Property> {
  static constexpr std::array<std::string_view, 6> words = {
      "multiprocessors", "max_block_threads", "max_shared_bytes", "resident_threads",
      "warp_size", "arena_bytes"};
};
template <>
struct Spellings<tree::ShuffleMode> {
  static constexpr std::array<std::string_view, 4> words = {"down", "up", "exclusive_or",
                                                            "index"};
};
template <>
struct Spellings<tree::AtomicOp> {
  static constexpr std::array<std::string_view, 9> words = {
      "add", "smin", "smax", "umin", "umax", "bit_and", "bit_or", "bit_xor", "exchange"};
};

}  // namespace dagaz::ir::text

namespace dagaz::tree::text {

/// Whether members of this type stand before `=`.
template <typename T>
inline constexpr bool stands_before =
    std::is_same_v<T, Assigned> || std::is_same_v<T, std::vector<Assigned>>;

/// The name of a member as it is written.
constexpr std::string_view label_of(std::string_view field) {
  return field == "else_code" ? "else" : field;
}

/// Whether `names`, separated by commas, contain `name`.
constexpr bool contains(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    const std::size_t comma = names.find(',');
    std::string_view first = names.substr(0, comma);
    while (first.starts_with(' ')) first.remove_prefix(1);
    if (first == name) return true;
    names.remove_prefix(comma == std::string_view::npos ? names.size() : comma + 1);
  }
  return false;
}

template <typename Node>
constexpr bool is_labelled(std::string_view field) {
  if constexpr (requires { Node::labelled; }) return contains(Node::labelled, field);
  return false;
}

}  // namespace dagaz::tree::text
