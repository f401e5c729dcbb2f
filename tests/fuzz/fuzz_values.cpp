// Values from arbitrary bytes: reading never crashes; what is read prints, and what is printed
// reads back as the same value, in text and in binary.
#include <cstdio>
#include <cstdlib>

#include "fuzz_driver.h"
#include "values.h"

using namespace dagaz::runtime;

namespace {

void require(bool condition, const char* what, std::string_view input) {
  if (!condition) {
    std::fprintf(stderr, "%s, for this input (its first byte chooses the type):\n", what);
    std::fwrite(input.data(), 1, input.size(), stderr);
    std::fprintf(stderr, "\n");
    std::abort();
  }
}

std::string write(const Value& value, ValueFormat format) {
  std::string text;
  write_value(text, format, value.element, value.shape, value.bytes.data());
  return text;
}

/// Prints and reads again; the bytes of the second value may differ only in the payload of NaNs.
void round_trip(const Value& value, dz_leaf_type type, std::string_view input) {
  const std::string text = write(value, ValueFormat::text);
  ValueReader text_reader(text, "printed");
  Value again;
  require(text_reader.read(type, again) && text_reader.at_end(), "printed text is unreadable",
          input);
  require(write(again, ValueFormat::text) == text, "text does not read back", input);
  require(again.shape == value.shape, "text loses the shape", input);
  const std::string binary = write(value, ValueFormat::binary);
  ValueReader binary_reader(binary, "printed");
  require(binary_reader.read(type, again) && binary_reader.at_end(),
          "printed binary is unreadable", input);
  require(again.bytes == value.bytes && again.shape == value.shape,
          "binary does not read back", input);
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const dz_leaf_type type = {data[0] % element_count, data[0] / element_count % 4};
  ValueReader reader(input.substr(1), "input");
  while (!reader.at_end()) {
    Value value;
    if (!reader.read(type, value)) {
      require(!reader.error().empty(), "a failure without an error", input);
      return 0;
    }
    round_trip(value, type, input);
  }
  return 0;
}

FuzzMaterial fuzz_material() {
  FuzzMaterial material;
  const auto seed = [&](int32_t element, int32_t rank, const std::string& text) {
    material.seeds.push_back(static_cast<char>(element + element_count * rank) + text);
  };
  for (int32_t element = 0; element < element_count; ++element) {
    const std::string name = element_info(element).name;
    const std::string one = element == DZ_BOOL ? "true" : "1" + name;
    seed(element, 0, one);
    seed(element, 1, "[" + one + ", " + one + "]");
    seed(element, 2, "[[" + one + "], -- comment\n [" + one + "]]");
    seed(element, 3, "empty([0][3][2]" + name + ")");
    std::string binary;
    const char bytes[32] = {};
    write_value(binary, ValueFormat::binary, element, {2, 2}, bytes);
    seed(element, 2, binary + " " + binary);
  }
  for (const int32_t element : {DZ_F16, DZ_F32, DZ_F64}) {
    const std::string name = element_info(element).name;
    seed(element, 1,
         "[" + name + ".nan, -" + name + ".inf, 0x1.8p-3, 1e-7, 3_0.5e+2" + name + "]");
  }
  seed(DZ_U8, 1, "\"text \\n \\x41 \\65 \\\"\"");
  seed(DZ_U8, 2, "[\"ab\", \"cd\"]");
  seed(DZ_I64, 1, "[-9223372036854775808, 0xffff_ffff, 0b1010]");
  material.pieces = {"[",
                     "]",
                     ",",
                     "(",
                     ")",
                     "\"",
                     "\\",
                     "--",
                     "\n",
                     "e400",
                     "e-400",
                     "nan",
                     "f32.inf",
                     "empty",
                     "[0]",
                     "0x",
                     "0b",
                     "_",
                     "-",
                     "+",
                     ".",
                     "p",
                     "b\2",
                     "i32",
                     "f32",
                     "0",
                     "1",
                     "9999999999999999999",
                     "\xff\xff\xff\xff\xff\xff\xff\x7f",
                     "[9223372036854775807]"};
  return material;
}
