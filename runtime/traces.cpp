// Reading the text of a type into a tree, and walking that along the leaves.
#include "traces.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "context.h"
#include "values.h"

namespace dagaz::runtime {

namespace {

struct Shape {
  enum class Kind { scalar, array, tuple, record, sum, word };
  Kind kind = Kind::word;
  int32_t element = DZ_I8;  // of a scalar
  size_t leaf = 0;          // of a scalar or a sum
  std::string name;         // of a field or a constructor
  std::string word;         // alone, or the element type of a scalar
  std::vector<Shape> parts; // a sum's are tuples of payloads
};

/// The compiler writes these texts, so nothing is wrong with them.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Shape type() {
    Shape shape;
    if (take("[]")) {
      shape.kind = Shape::Kind::array;
      shape.parts.push_back(type());
    } else if (take("(")) {
      shape.kind = Shape::Kind::tuple;
      while (!take(")")) {
        shape.parts.push_back(type());
        take(", ");
      }
    } else if (take("{")) {
      shape.kind = Shape::Kind::record;
      while (!take("}")) {
        std::string name = word(":");
        take(": ");
        shape.parts.push_back(type());
        shape.parts.back().name = std::move(name);
        take(", ");
      }
    } else if (take("sum@")) {
      shape.kind = Shape::Kind::sum;
      shape.leaf = number();
      take("(");
      while (!take(")")) {
        shape.parts.push_back(constructor());
        take(" | ");
      }
    } else {
      shape.word = word("@,)}| ");
      if (take("@")) {
        shape.kind = Shape::Kind::scalar;
        shape.element = element_named(shape.word).value_or(DZ_I8);
        shape.leaf = number();
      }
    }
    return shape;
  }

 private:
  Shape constructor() {
    Shape shape;
    shape.kind = Shape::Kind::tuple;
    take("#");
    shape.name = word(" )");
    while (!text_.substr(at_).starts_with(" | ") && take(" ")) {
      shape.parts.push_back(type());
    }
    return shape;
  }
  bool take(std::string_view expected) {
    const bool found = text_.substr(at_).starts_with(expected);
    at_ += found ? expected.size() : 0;
    return found;
  }
  std::string word(std::string_view ends) {
    const size_t begin = at_;
    at_ = std::min(text_.find_first_of(ends, at_), text_.size());
    return std::string(text_.substr(begin, at_ - begin));
  }
  size_t number() {
    size_t value = 0;
    const auto result = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    at_ = static_cast<size_t>(result.ptr - text_.data());
    return value;
  }

  std::string_view text_;
  size_t at_ = 0;
};

void collect_leaves(const Shape& shape, int32_t rank, std::vector<dz_leaf_type>& out) {
  if (shape.kind == Shape::Kind::scalar || shape.kind == Shape::Kind::sum) {
    out.resize(std::max(out.size(), shape.leaf + 1));
    out[shape.leaf] = {shape.element, rank};
  }
  for (const Shape& part : shape.parts) {
    collect_leaves(part, shape.kind == Shape::Kind::array ? rank + 1 : rank, out);
  }
}

/// Any leaf of the shape: all have the sizes of the arrays around it.
std::optional<size_t> leaf_of(const Shape& shape) {
  if (shape.kind == Shape::Kind::scalar || shape.kind == Shape::Kind::sum) {
    return shape.leaf;
  }
  for (const Shape& part : shape.parts) {
    if (const std::optional<size_t> leaf = leaf_of(part)) {
      return leaf;
    }
  }
  return std::nullopt;
}

class Writer {
 public:
  explicit Writer(std::span<const TracedLeaf> leaves) : leaves_(leaves) {}

  std::string out;

  /// `tight`: as the payload of a constructor, where another constructor's needs parentheses.
  void write(const Shape& shape, bool tight = false) {
    switch (shape.kind) {
      case Shape::Kind::scalar:
        return write_scalar(out, shape.element, element(shape.leaf));
      case Shape::Kind::array:
        return write_array(shape);
      case Shape::Kind::tuple:
      case Shape::Kind::record:
        return write_fields(shape);
      case Shape::Kind::sum:
        return write_sum(shape, tight);
      case Shape::Kind::word:
        out += "<" + shape.word + ">";
        return;
    }
  }

 private:
  /// The element of a leaf at the current indices.
  const char* element(size_t leaf) const {
    const TracedLeaf& array = leaves_[leaf];
    int64_t at = 0;
    for (size_t k = 0; k < array.shape.size(); ++k) {
      at = at * array.shape[k] + indices_[k];
    }
    return array.data + at * array.step;
  }
  void write_array(const Shape& shape) {
    const std::optional<size_t> leaf = leaf_of(shape);
    if (!leaf) {
      out += "[...]";  // of units or functions: how many is not known
      return;
    }
    const int64_t count = leaves_[*leaf].shape[indices_.size()];
    out += "[";
    for (int64_t i = 0; i < count; ++i) {
      out += i > 0 ? ", " : "";
      indices_.push_back(i);
      write(shape.parts[0]);
      indices_.pop_back();
    }
    out += "]";
  }
  void write_fields(const Shape& shape) {
    const bool tuple = shape.kind == Shape::Kind::tuple;
    out += tuple ? "(" : "{";
    for (const Shape& part : shape.parts) {
      out += &part == shape.parts.data() ? "" : ", ";
      out += tuple ? "" : part.name + " = ";
      write(part);
    }
    out += tuple ? ")" : "}";
  }
  void write_sum(const Shape& shape, bool tight) {
    const auto number = static_cast<size_t>(static_cast<unsigned char>(*element(shape.leaf)));
    const Shape& constructor = shape.parts[std::min(number, shape.parts.size() - 1)];
    const bool parentheses = tight && !constructor.parts.empty();
    out += (parentheses ? "(#" : "#") + constructor.name;
    for (const Shape& payload : constructor.parts) {
      out += " ";
      write(payload, true);
    }
    out += parentheses ? ")" : "";
  }

  std::span<const TracedLeaf> leaves_;
  std::vector<int64_t> indices_;
};

}  // namespace

std::vector<dz_leaf_type> traced_leaves(std::string_view type) {
  std::vector<dz_leaf_type> leaves;
  collect_leaves(Reader(type).type(), 0, leaves);
  return leaves;
}

std::string traced_text(std::string_view type, std::span<const TracedLeaf> leaves) {
  Writer writer(leaves);
  writer.write(Reader(type).type());
  return std::move(writer.out);
}

void print_trace(dz_context& context, const dz_trace& trace, std::span<const TracedLeaf> leaves) {
  const std::string line = trace.label + (": " + traced_text(trace.type, leaves)) + "\n";
  std::fwrite(line.data(), 1, line.size(), context.log);
}

void print_traces(dz_context& context, const dz_trace_buffer& buffer,
                  std::span<const int64_t> words) {
  constexpr size_t header = 2;
  // A record that did not fit leaves the rest of the buffer as it was, zero.
  for (size_t at = 0; at + header <= words.size() && words[at] != 0;) {
    const dz_trace& trace = context.program.traces[words[at] - 1];
    const int64_t* next = words.data() + at + header;
    at += header + static_cast<size_t>(words[at + 1]);
    std::vector<TracedLeaf> leaves;
    for (const dz_leaf_type& type : traced_leaves(trace.type)) {
      TracedLeaf leaf{{next, next + type.rank}, nullptr, int64_t{sizeof(int64_t)}};
      next += type.rank;
      leaf.data = reinterpret_cast<const char*>(next);
      int64_t count = 1;
      for (const int64_t size : leaf.shape) {
        count *= size;
      }
      next += count;
      leaves.push_back(std::move(leaf));
    }
    print_trace(context, trace, leaves);
  }
  if (buffer.lost > 0) {
    std::fprintf(context.log, "%lld more values were traced than a GPU keeps at a time.\n",
                 static_cast<long long>(buffer.lost));
  }
}

}  // namespace dagaz::runtime

int32_t dz_print_trace(dz_context* context, int32_t number, const int64_t* words) {
  using namespace dagaz::runtime;
  const dz_trace& trace = context->program.traces[number];
  // What kernels have traced before comes first.
  int32_t status = context->device->synchronise();
  std::vector<TracedLeaf> leaves;
  std::vector<std::vector<char>> copies;
  for (const dz_leaf_type& type : traced_leaves(trace.type)) {
    const int64_t step = element_info(type.element).bytes;
    const auto* first = reinterpret_cast<const char*>(words++);
    TracedLeaf leaf{{words, words + type.rank}, first, step};
    words += type.rank;
    if (type.rank > 0 && status == DZ_OK) {
      int64_t bytes = step;
      for (const int64_t size : leaf.shape) {
        bytes *= size;
      }
      std::vector<char>& copy = copies.emplace_back(static_cast<size_t>(bytes));
      const void* array = nullptr;
      std::memcpy(&array, first, sizeof array);
      const Read read{array, bytes, copy.data()};
      status = context->device->read({&read, 1});
      leaf.data = copy.data();
    }
    leaves.push_back(std::move(leaf));
  }
  if (status == DZ_OK) {
    print_trace(*context, trace, leaves);
  }
  return status;
}
