// Facts about element types, and what the two forms of values share.
#include "values.h"

#include <sys/stat.h>

#include <array>
#include <cctype>
#include <limits>

namespace dagaz::runtime {

static constexpr std::array<ElementInfo, element_count> elements = {{{"bool", 1},
                                                                     {"i8", 1},
                                                                     {"i16", 2},
                                                                     {"i32", 4},
                                                                     {"i64", 8},
                                                                     {"u8", 1},
                                                                     {"u16", 2},
                                                                     {"u32", 4},
                                                                     {"u64", 8},
                                                                     {"f16", 2},
                                                                     {"f32", 4},
                                                                     {"f64", 8}}};

const ElementInfo& element_info(int32_t element) {
  return elements.at(static_cast<size_t>(element));
}

std::optional<int32_t> element_named(std::string_view name) {
  for (int32_t element = 0; element < element_count; ++element) {
    if (name == element_info(element).name) {
      return element;
    }
  }
  return std::nullopt;
}

std::string value_type_name(dz_leaf_type type) {
  std::string name;
  for (int32_t i = 0; i < type.rank; ++i) {
    name += "[]";
  }
  return name + element_info(type.element).name;
}

std::optional<int64_t> checked_count(const std::vector<int64_t>& shape, int64_t element_bytes) {
  // A size of 0 anywhere makes the array empty, however large the other sizes are.
  for (const int64_t size : shape) {
    if (size == 0) {
      return 0;
    }
  }
  int64_t count = 1;
  const int64_t most = std::numeric_limits<int64_t>::max() / element_bytes;
  for (const int64_t size : shape) {
    if (size < 0 || count > most / size) {
      return std::nullopt;
    }
    count *= size;
  }
  return count;
}

std::optional<ValueFormat> format_named(std::string_view name) {
  if (name == "text") {
    return ValueFormat::text;
  }
  if (name == "binary") {
    return ValueFormat::binary;
  }
  if (name == "npy") {
    return ValueFormat::npy;
  }
  if (name == "csv") {
    return ValueFormat::csv;
  }
  return std::nullopt;
}

bool ValueReader::read(dz_leaf_type type, Value& out) {
  const bool is_first = position_ == 0;
  if (!error_.empty() || !skip_space()) {
    return false;
  }
  out.element = type.element;
  out.shape.clear();
  out.storage.clear();
  if (peek() == 'b' &&
      (rest().size() < 2 || std::isalnum(static_cast<unsigned char>(rest()[1])) == 0)) {
    return read_binary(type, out);
  }
  if (rest().starts_with(npy_magic)) {
    return read_npy_value(type, out);
  }
  if (rest().starts_with(npz_magic)) {
    return fail_at_byte(position_, "an archive of arrays (.npz); `dagaz data` makes values of it");
  }
  if (is_first && (looks_like_csv(rest()) || (type.rank > 0 && looks_like_column(rest())))) {
    return read_csv_value(type, out);
  }
  return read_text(type, out);
}

std::optional<std::string> read_everything(std::FILE* stream) {
  std::string text;
  size_t used = 0;
  struct stat facts = {};
  const bool sized = fstat(fileno(stream), &facts) == 0 && S_ISREG(facts.st_mode);
  // One byte more than a file has, so that its end is seen without growing.
  text.resize(sized ? static_cast<size_t>(facts.st_size) + 1 : size_t{1} << 16);
  while (true) {
    const size_t got = std::fread(text.data() + used, 1, text.size() - used, stream);
    used += got;
    if (got == 0) {
      break;
    }
    if (used == text.size()) {
      text.resize(text.size() * 2);
    }
  }
  text.resize(used);
  if (std::ferror(stream) != 0) {
    return std::nullopt;
  }
  return text;
}

}  // namespace dagaz::runtime
