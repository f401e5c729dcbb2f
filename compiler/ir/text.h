// What printer and parser share: how the members of an operation look as text.
//
//   program    {function | type | entry}
//   function   function name(x_0: type, *y_1: type) -> [type, …] { body }     (* = consumed)
//   body       {statement}  return operand, …
//   statement  x_2: type, … = operation  [if [token, …]]  [#[forward]]
//   operation  scalar_op.type operand …          a conversion has a second .type
//            | mnemonic members
//   members    members of simple roles (names, operands, types, attributes) come first, in order
//              and unlabelled; from the first other member on, each is written `label member`,
//              and left out if it is empty, absent or zero
//   schedule   [version, …] [operations [product, …]] [additions [product, …]] [apart 2]
//              [appends [x_5 ahead 128, …]]
//   version    strategy label member … [when [product >= product, …]]  members that are not the
//   default settings   settings label member …                                 likewise product
//   factor * size * … * resident * block_bytes             a factor of 1 only where it is all
//   lambda     \(x_3: type, …) -> [type, …] { body }
//   vector     [a, b, …]     structure  (members)      i_4: i64 < operand and the like: `joint`
//   type       [size][size]f64   token   acc [size]f64
//   constant   12 (an i64)  12i32  1.5f64  f64.nan  f64.inf  -f64.inf  true  "text"
//
// Names end in their number, `base_7`, and keep it; a name written without one gets the next free
// number.  Comments start with `--`.  Source locations are not part of the text: parsed statements
// point into the text itself.
#pragma once

#include <array>
#include <string_view>

#include "ir/fields.h"
#include "ir/program.h"

namespace dagaz::ir::text {

/// Members that stand first and unlabelled.
template <typename T>
struct Simple
    : std::bool_constant<!detail::Carries<T>::value || std::is_same_v<T, NameId> ||
                         std::is_same_v<T, Operand> || std::is_same_v<T, Type> ||
                         std::is_same_v<T, Binder> || std::is_same_v<T, SliceDimension>> {};
template <typename T>
struct Simple<std::vector<T>> : Simple<T> {};
template <typename T>
struct Simple<std::optional<T>> : std::false_type {};
template <>
struct Simple<Schedule> : std::false_type {};

/// Two-member structures written `first JOINT second`.
template <typename T>
inline constexpr std::string_view joint = "";
template <>
inline constexpr std::string_view joint<LoopValue> = "=";
template <>
inline constexpr std::string_view joint<ForForm> = "<";
template <>
inline constexpr std::string_view joint<SpaceDimension> = "<";
template <>
inline constexpr std::string_view joint<Guard> = ">=";
template <>
inline constexpr std::string_view joint<InnerRows> = ":";
template <>
inline constexpr std::string_view joint<CopiedValues> = ":";
template <>
inline constexpr std::string_view joint<Append> = "ahead";

/// The spellings of an enumeration used as an attribute.
template <typename E>
struct Spellings;
template <>
struct Spellings<DerivativeMode> {
  static constexpr std::array<std::string_view, 2> words = {"forward", "reverse"};
};
template <>
struct Spellings<Remainder> {
  static constexpr std::array<std::string_view, 2> words = {"moved", "serialised"};
};
template <>
struct Spellings<Packing> {
  static constexpr std::array<std::string_view, 3> words = {"singly", "by_points", "by_elements"};
};
template <>
struct Spellings<MatrixUnit> {
  static constexpr std::array<std::string_view, 4> words = {"none", "f16", "tf32", "f64"};
};
template <>
struct Spellings<PointsBy> {
  static constexpr std::array<std::string_view, 2> words = {"tasks", "kernels"};
};
template <>
struct Spellings<ArraysIn> {
  static constexpr std::array<std::string_view, 2> words = {"memory", "device"};
};
template <>
struct Spellings<ScalarType> {
  static constexpr std::array<std::string_view, 8> words = {"bool", "i8",  "i16", "i32",
                                                            "i64",  "f16", "f32", "f64"};
};
template <>
struct Spellings<ExternalElement> {
  static constexpr std::array<std::string_view, 12> words = {
      "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64"};
};
template <>
struct Spellings<ExternalKind> {
  static constexpr std::array<std::string_view, 6> words = {"scalar", "array",        "record",
                                                            "sum",    "opaque_array", "opaque"};
};

/// The `index`-th of the comma-separated `names`.
constexpr std::string_view label_at(std::string_view names, std::size_t index) {
  for (; index > 0; --index) names.remove_prefix(names.find(',') + 1);
  while (names.starts_with(' ')) names.remove_prefix(1);
  return names.substr(0, names.find(','));
}

/// Strategies of schedules, and settings: all members are labelled, and left out where they are the
/// default.
template <typename Node>
struct SaysWhatDiffers : std::is_same<Node, Settings> {};
template <typename Node>
  requires requires { static_cast<void>(Strategy(std::declval<Node>())); }
struct SaysWhatDiffers<Node> : std::bool_constant<!std::is_same_v<Node, Strategy>> {};

/// From this member on, members are labelled.
template <typename Node>
constexpr std::size_t first_labelled() {
  if constexpr (SaysWhatDiffers<Node>::value) return 0;
  using Members = decltype(std::declval<const Node&>().fields());
  return []<std::size_t... indices>(std::index_sequence<indices...>) {
    std::size_t first = sizeof...(indices);
    ((first == sizeof...(indices) &&
              !Simple<std::decay_t<std::tuple_element_t<indices, Members>>>::value
          ? static_cast<void>(first = indices)
          : static_cast<void>(0)),
     ...);
    return first;
  }(std::make_index_sequence<std::tuple_size_v<Members>>());
}

}  // namespace dagaz::ir::text
