// NumPy's .npy format: a magic word, a header that is a dictionary of Python, then the elements.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>

#include "values.h"

namespace dagaz::runtime {

static constexpr size_t fixed_header = 8;  // the magic word and two bytes of version
static constexpr size_t alignment = 64;    // of the first element, from the start

namespace {

/// What the header of an array says.
struct NpyHeader {
  int32_t element = DZ_I32;
  bool big_endian = false;
  bool columns_first = false;
  std::vector<int64_t> shape;
  size_t bytes = 0;  // before the elements
};

std::string_view after(std::string_view text, std::string_view key) {
  const size_t at = text.find(key);
  if (at == std::string_view::npos) {
    return {};
  }
  text.remove_prefix(at + key.size());
  text.remove_prefix(std::min(text.find_first_not_of(" :"), text.size()));
  return text;
}

/// `<f8`, `|b1`: byte order, kind, bytes.
bool parse_kind(std::string_view text, NpyHeader& header) {
  if (text.size() < 5 || (text[0] != '\'' && text[0] != '"')) {
    return false;
  }
  const size_t end = text.find(text[0], 1);
  const std::string_view kind = text.substr(1, end == std::string_view::npos ? end : end - 1);
  if (kind.size() != 3) {
    return false;
  }
  static constexpr struct {
    std::string_view kind;
    int32_t element;
  } kinds[] = {{"b1", DZ_BOOL}, {"i1", DZ_I8},  {"i2", DZ_I16}, {"i4", DZ_I32},
               {"i8", DZ_I64},  {"u1", DZ_U8},  {"u2", DZ_U16}, {"u4", DZ_U32},
               {"u8", DZ_U64},  {"f2", DZ_F16}, {"f4", DZ_F32}, {"f8", DZ_F64}};
  header.big_endian = kind[0] == '>';
  const bool has_order = std::string_view("<>|=").find(kind[0]) != std::string_view::npos;
  for (const auto& known : kinds) {
    if (has_order && kind.substr(1) == known.kind) {
      header.element = known.element;
      return true;
    }
  }
  return false;
}

/// `(3, 4)`, `(3,)`, `()`.
bool parse_shape(std::string_view text, std::vector<int64_t>& shape) {
  if (text.empty() || text[0] != '(') {
    return false;
  }
  text.remove_prefix(1);
  while (!text.empty() && text[0] != ')') {
    int64_t size = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (code != std::errc() || size < 0) {
      return false;
    }
    shape.push_back(size);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    text.remove_prefix(std::min(text.find_first_not_of(" ,L"), text.size()));
  }
  return !text.empty();
}

/// The header at the start of `text`, or why there is none.
std::string parse_header(std::string_view text, NpyHeader& header) {
  if (text.size() < fixed_header + 4) {
    return "the input ends within the header of an .npy array";
  }
  const auto byte = [&](size_t i) {
    return static_cast<size_t>(static_cast<unsigned char>(text[i]));
  };
  const bool short_length = text[6] == 1;
  const size_t length = short_length ? byte(8) | byte(9) << 8
                                     : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  const size_t begin = fixed_header + (short_length ? 2 : 4);
  if (length > text.size() - begin) {
    return "the input ends within the header of an .npy array";
  }
  header.bytes = begin + length;
  const std::string_view words = text.substr(begin, length);
  if (!parse_kind(after(words, "'descr'"), header)) {
    return "the elements of the .npy array are neither numbers nor booleans";
  }
  header.columns_first = after(words, "'fortran_order'").starts_with("True");
  if (!parse_shape(after(words, "'shape'"), header.shape)) {
    return "the header of the .npy array has no shape";
  }
  return {};
}

/// The elements row by row and with their lowest byte first.
void write_in_order(const NpyHeader& header, std::string_view elements, std::vector<char>& out) {
  const auto width = static_cast<size_t>(element_info(header.element).bytes);
  const size_t count = elements.size() / width;
  const size_t rank = header.shape.size();
  out.resize(elements.size());
  std::vector<size_t> strides(rank, 1);
  for (size_t i = 0; i < rank; ++i) {
    const size_t k = header.columns_first ? i : rank - 1 - i;
    const size_t before = header.columns_first ? k - 1 : k + 1;
    if (i > 0) {
      strides[k] = strides[before] * static_cast<size_t>(header.shape[before]);
    }
  }
  std::vector<size_t> index(rank, 0);
  for (size_t to = 0; to < count; ++to) {
    size_t from = 0;
    for (size_t k = 0; k < rank; ++k) {
      from += index[k] * strides[k];
    }
    char* element = &out[to * width];
    std::memcpy(element, elements.data() + from * width, width);
    if (header.big_endian) {
      std::reverse(element, element + width);
    }
    for (size_t k = rank; k-- > 0;) {
      if (++index[k] < static_cast<size_t>(header.shape[k])) {
        break;
      }
      index[k] = 0;
    }
  }
}

}  // namespace

std::string read_npy(std::string_view text, Value& out, size_t& used) {
  NpyHeader header;
  std::string problem = parse_header(text, header);
  if (!problem.empty()) {
    return problem;
  }
  const int64_t width = element_info(header.element).bytes;
  const std::optional<int64_t> count = checked_count(header.shape, width);
  if (!count || static_cast<size_t>(*count * width) > text.size() - header.bytes) {
    return "the input ends within the elements of an .npy array";
  }
  out.element = header.element;
  out.bytes = text.substr(header.bytes, static_cast<size_t>(*count * width));
  used = header.bytes + out.bytes.size();
  if ((header.columns_first && header.shape.size() > 1) || (header.big_endian && width > 1)) {
    write_in_order(header, out.bytes, out.storage);
    out.bytes = std::string_view(out.storage.data(), out.storage.size());
  }
  out.shape = std::move(header.shape);
  return {};
}

bool ValueReader::read_npy_value(dz_leaf_type type, Value& out) {
  size_t used = 0;
  const size_t start = position_;
  const std::string problem = read_npy(input_.substr(start), out, used);
  if (!problem.empty()) {
    return fail_at_byte(start, problem);
  }
  const dz_leaf_type found{out.element, static_cast<int32_t>(out.shape.size())};
  if (found.element != type.element || found.rank != type.rank) {
    return fail_at_byte(start, "expected a value of type " + value_type_name(type) +
                                   ", found an .npy array of type " + value_type_name(found));
  }
  for (size_t i = 0; type.element == DZ_BOOL && i < out.bytes.size(); ++i) {
    if (out.bytes[i] != 0 && out.bytes[i] != 1) {
      return fail_at_byte(start, "a bool must be 0 or 1");
    }
  }
  position_ += used;
  return true;
}

void write_npy_header(std::string& out, int32_t element, const std::vector<int64_t>& shape) {
  const ElementInfo& info = element_info(element);
  const char kind = element == DZ_BOOL ? 'b' : info.name[0];
  std::string header = "{'descr': '";
  header += info.bytes == 1 ? '|' : '<';
  header += kind + std::to_string(info.bytes) + "', 'fortran_order': False, 'shape': (";
  for (const int64_t size : shape) {
    header += std::to_string(size) + (shape.size() == 1 ? "," : ", ");
  }
  if (shape.size() > 1) {
    header.resize(header.size() - 2);
  }
  header += "), }";
  constexpr size_t before = fixed_header + 2;
  header.append(alignment - 1 - (before + header.size()) % alignment, ' ');
  header += '\n';
  out += npy_magic;
  out +=
      {'\1', '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  out += header;
}

void write_npy(std::string& out, int32_t element, const std::vector<int64_t>& shape,
               const char* bytes) {
  write_npy_header(out, element, shape);
  const int64_t width = element_info(element).bytes;
  const int64_t count = checked_count(shape, width).value_or(0);
  out.append(bytes, static_cast<size_t>(count * width));
}

}  // namespace dagaz::runtime
