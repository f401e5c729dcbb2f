// The one macro of the array IR: a struct's members, listed once (see ops.h and fields.h).
#pragma once

#include <string_view>
#include <tuple>

#define DZ_FIELDS(...)                                     \
  auto fields() { return std::tie(__VA_ARGS__); }          \
  auto fields() const { return std::tie(__VA_ARGS__); }    \
  /* The members' names, separated by commas: the labels of the text form. */ \
  static constexpr std::string_view field_names = #__VA_ARGS__;
