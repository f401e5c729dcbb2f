// The value format: what is accepted, what is printed, and how mistakes are reported.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "half.h"
#include "values.h"

using namespace dagaz::runtime;

namespace {

/// Reads one value and prints it again; or the error.
std::string echo(std::string_view text, int32_t element, int32_t rank,
                 ValueFormat format = ValueFormat::text) {
  ValueReader reader(text, "in");
  Value value;
  if (!reader.read({element, rank}, value)) {
    return "error " + reader.error();
  }
  if (!reader.at_end()) {
    return "rest at " + std::to_string(reader.position());
  }
  std::string out;
  write_value(out, format, value.element, value.shape, value.bytes.data());
  return out;
}

template <typename T>
std::string print(T value, int32_t element) {
  std::string out;
  write_scalar(out, element, &value);
  return out;
}

}  // namespace

TEST_CASE("scalars of every type are read and printed with their suffix") {
  CHECK(echo("true", DZ_BOOL, 0) == "true");
  CHECK(echo("false", DZ_BOOL, 0) == "false");
  CHECK(echo("-128i8", DZ_I8, 0) == "-128i8");
  CHECK(echo("32_767", DZ_I16, 0) == "32767i16");
  CHECK(echo("+5", DZ_I32, 0) == "5i32");
  CHECK(echo("-9223372036854775808", DZ_I64, 0) == "-9223372036854775808i64");
  CHECK(echo("255", DZ_U8, 0) == "255u8");
  CHECK(echo("65535u16", DZ_U16, 0) == "65535u16");
  CHECK(echo("0xffff_ffff", DZ_U32, 0) == "4294967295u32");
  CHECK(echo("0b101", DZ_U64, 0) == "5u64");
  CHECK(echo("0.1f16", DZ_F16, 0) == "0.1f16");
  CHECK(echo("0.1", DZ_F32, 0) == "0.1f32");
  CHECK(echo("-2", DZ_F64, 0) == "-2.0f64");
  CHECK(echo("1e300", DZ_F64, 0) == "1e+300f64");
  CHECK(echo("0x1.8p3", DZ_F64, 0) == "12.0f64");
  CHECK(echo("0x1f32", DZ_F32, 0) == "7986.0f32");
}

TEST_CASE("integers that fit the width wrap as in the peer") {
  CHECK(echo("0xFF", DZ_I8, 0) == "-1i8");
  CHECK(echo("-1u8", DZ_U8, 0) == "255u8");
  CHECK(echo("256u8", DZ_U8, 0) == "error in:1:1: expected a value of type u8, found `256u8`");
  CHECK(echo("-129", DZ_I8, 0) == "error in:1:1: expected a value of type i8, found `-129`");
}

TEST_CASE("not-a-number and infinities have names") {
  CHECK(echo("f32.nan", DZ_F32, 0) == "f32.nan");
  CHECK(echo("f64.inf", DZ_F64, 0) == "f64.inf");
  CHECK(echo("-f16.inf", DZ_F16, 0) == "-f16.inf");
  CHECK(echo("1e400", DZ_F64, 0) == "f64.inf");
  CHECK(echo("-1e60", DZ_F32, 0) == "-f32.inf");
  CHECK(echo("1e-400", DZ_F64, 0) == "0.0f64");
  CHECK(echo("f64.nan", DZ_F32, 0).starts_with("error"));
  CHECK(echo("inf", DZ_F64, 0).starts_with("error"));
  CHECK(echo("nan", DZ_F64, 0).starts_with("error"));
}

TEST_CASE("printed floats are the shortest that read back") {
  CHECK(print(1.0 / 3, DZ_F64) == "0.3333333333333333f64");
  CHECK(print(1.0F / 3, DZ_F32) == "0.33333334f32");
  CHECK(print(std::numeric_limits<double>::denorm_min(), DZ_F64) == "5e-324f64");
  CHECK(print(-0.0, DZ_F64) == "-0.0f64");
  CHECK(print(uint16_t{0x7bff}, DZ_F16) == "65500.0f16");
  CHECK(echo("65500.0f16", DZ_F16, 0) == "65500.0f16");
}

TEST_CASE("every binary16 value survives printing and reading") {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    if ((half & 0x7c00) == 0x7c00 && (half & 0x3ff) != 0) {
      continue;
    }
    uint16_t back = 0;
    REQUIRE(parse_scalar(print(half, DZ_F16), DZ_F16, &back));
    REQUIRE(back == half);
    REQUIRE(double_to_half(static_cast<double>(half_to_float(half))) == half);
  }
}

TEST_CASE("conversion to binary16 rounds ties to even") {
  CHECK(double_to_half(1 + std::ldexp(1, -11)) == 0x3c00);
  CHECK(double_to_half(1 + 3 * std::ldexp(1, -11)) == 0x3c02);
  CHECK(double_to_half(65519.99) == 0x7bff);
  CHECK(double_to_half(65520) == 0x7c00);
  CHECK(double_to_half(std::ldexp(1, -25)) == 0);
  CHECK(double_to_half(std::ldexp(1.0000001, -25)) == 1);
}

TEST_CASE("arrays keep their shape") {
  CHECK(echo("[1, 2, 3]", DZ_I32, 1) == "[1i32, 2i32, 3i32]");
  CHECK(echo("[[1i32,2i32],[3i32,4i32],]", DZ_I32, 2) == "[[1i32, 2i32], [3i32, 4i32]]");
  CHECK(echo(" -- first\n[ true -- second\n, false ] -- end", DZ_BOOL, 1) == "[true, false]");
  CHECK(echo("empty([0][3]i32)", DZ_I32, 2) == "empty([0][3]i32)");
  CHECK(echo("empty ( [ 2 ] [ 0 ] f64 )", DZ_F64, 2) == "empty([2][0]f64)");
  CHECK(echo("[]", DZ_I32, 1) == "empty([0]i32)");
  CHECK(echo("[[], []]", DZ_I32, 2) == "empty([2][0]i32)");
  CHECK(echo("[]", DZ_I32, 3) == "empty([0][0][0]i32)");
}

TEST_CASE("strings are arrays of bytes") {
  CHECK(echo(R"("AB\n\"\\\65\x7a")", DZ_U8, 1) ==
        "[65u8, 66u8, 10u8, 34u8, 92u8, 65u8, 122u8]");
  CHECK(echo(R"(["ab", "cd"])", DZ_U8, 2) == "[[97u8, 98u8], [99u8, 100u8]]");
  CHECK(echo(R"("")", DZ_U8, 1) == "empty([0]u8)");
  CHECK(echo(R"("abc)", DZ_U8, 1) == "error in:1:1: this string does not end");
  CHECK(echo("\"a\\", DZ_U8, 1).starts_with("error"));
}

TEST_CASE("mistakes in text are reported with line and column") {
  CHECK(echo("[1,\n [2]]", DZ_I32, 1) == "error in:2:2: expected a value of type i32, found `[`");
  CHECK(echo("[[1, 2],\n [3]]", DZ_I32, 2) ==
        "error in:2:2: irregular array: expected 2 elements in this row as in the others, found 1");
  CHECK(echo("1.5", DZ_I32, 0) == "error in:1:1: expected a value of type i32, found `1.5`");
  CHECK(echo("1i64", DZ_I32, 0) == "error in:1:1: expected a value of type i32, found `1i64`");
  CHECK(echo("", DZ_I32, 0) ==
        "error in:1:1: expected a value of type i32, found the end of the input");
  CHECK(echo("[1, 2", DZ_I32, 1) ==
        "error in:1:6: expected `,` or `]`, found the end of the input");
  CHECK(echo("3", DZ_I32, 1) == "error in:1:1: expected a value of type []i32, found `3`");
  CHECK(echo("empty([1]i32)", DZ_I32, 1) ==
        "error in:1:1: this array is not empty: none of its sizes is 0");
  CHECK(echo("empty([0]f32)", DZ_I32, 1).starts_with("error in:1:10: expected the element type"));
  CHECK(echo("1__0", DZ_I32, 0) == "10i32");
  CHECK(echo("_1", DZ_I32, 0).starts_with("error"));
  CHECK(echo("-", DZ_I32, 0).starts_with("error"));
  CHECK(echo("--5", DZ_I32, 0).starts_with("error"));
  CHECK(echo("0x", DZ_I32, 0).starts_with("error"));
  CHECK(echo("+-5", DZ_F32, 0).starts_with("error"));
}

TEST_CASE("binary values read back and may be mixed with text") {
  std::string text = "  ";
  const int64_t data[] = {1, 2, 3, 4};
  write_value(text, ValueFormat::binary, DZ_I64, {2, 2}, data);
  text += "\n 7i32 -- and then\n";
  const double number = 2.5;
  write_value(text, ValueFormat::binary, DZ_F64, {}, &number);
  ValueReader reader(text, "in");
  Value value;
  REQUIRE(reader.read({DZ_I64, 2}, value));
  CHECK(value.shape == std::vector<int64_t>{2, 2});
  CHECK(std::memcmp(value.bytes.data(), data, sizeof data) == 0);
  REQUIRE(reader.read({DZ_I32, 0}, value));
  REQUIRE(reader.read({DZ_F64, 0}, value));
  CHECK(std::memcmp(value.bytes.data(), &number, sizeof number) == 0);
  CHECK(reader.at_end());
}

TEST_CASE("damaged binary values are reported with their byte") {
  std::string good;
  const int64_t data[] = {1, 2, 3, 4};
  write_value(good, ValueFormat::binary, DZ_I64, {2, 2}, data);
  for (size_t length = 1; length < good.size(); ++length) {
    CHECK(echo(std::string_view(good).substr(0, length), DZ_I64, 2)
              .starts_with("error in: byte " + std::to_string(length) + ": the input ends"));
  }
  std::string bad = good;
  bad[1] = 9;
  CHECK(echo(bad, DZ_I64, 2) ==
        "error in: byte 1: binary format version 9 is unknown; this program reads version 2");
  CHECK(echo(good, DZ_F64, 1) ==
        "error in: byte 0: expected a value of type []f64, found one of type [][]i64");
  bad = good;
  bad[3] = 'x';
  CHECK(echo(bad, DZ_I64, 2) == "error in: byte 3: no element type is called `xi64`");
  bad = good;
  std::memset(&bad[7], 0x7f, 8);  // a size whose product overflows
  CHECK(echo(bad, DZ_I64, 2).starts_with("error in: byte 55: the input ends"));
  std::memset(&bad[7], 0xff, 8);
  CHECK(echo(bad, DZ_I64, 2) == "error in: byte 7: a size is too large");
  CHECK(echo(std::string("b\2\0bool\2", 8), DZ_BOOL, 0) ==
        "error in: byte 7: a bool must be 0 or 1");
}

TEST_CASE("huge sizes of empty arrays do not overflow") {
  const std::string text = "empty([9223372036854775807][0][9223372036854775807]i64)";
  CHECK(echo(text, DZ_I64, 3) == text);
  std::string binary;
  write_value(binary, ValueFormat::binary, DZ_I64, {int64_t{1} << 62, 0, int64_t{1} << 62},
              nullptr);
  CHECK(echo(binary, DZ_I64, 3, ValueFormat::binary) == binary);
}
