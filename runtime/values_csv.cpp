// Tables of numbers or booleans: a line a row, cells between commas.  As input a table is all there
// is: it has no end of its own.  One column is a vector, more are a matrix; a first line that is no
// row of values is a heading.
#include <algorithm>
#include <cctype>

#include "values.h"

namespace dagaz::runtime {

namespace {

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_space(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_space(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

std::string_view unquoted(std::string_view cell) {
  cell = trimmed(cell);
  const bool quoted = cell.size() >= 2 && cell.front() == '"' && cell.back() == '"';
  return quoted ? trimmed(cell.substr(1, cell.size() - 2)) : cell;
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const size_t comma = line.find(',');
    cells.push_back(unquoted(line.substr(0, comma)));
    if (comma == std::string_view::npos) {
      return cells;
    }
    line.remove_prefix(comma + 1);
  }
}

/// `1.5`, without a suffix, whatever the element type is.
std::string bare(int32_t element, const char* bytes) {
  std::string cell;
  write_scalar(cell, element, bytes);
  const std::string_view name = element_info(element).name;
  if (element == DZ_BOOL) {
    return cell;
  }
  if (cell.ends_with(name)) {
    cell.resize(cell.size() - name.size());
  } else if (const size_t dot = cell.find('.'); dot != std::string::npos) {
    cell.erase(cell.starts_with("-") ? 1 : 0, dot + 1 - (cell.starts_with("-") ? 1 : 0));
  }
  return cell;
}

/// Also what other programs write for values that are not finite.
bool parse_cell(std::string_view cell, int32_t element, char* out) {
  if (parse_scalar(cell, element, out)) {
    return true;
  }
  std::string word(cell);
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool negative = word.starts_with("-");
  word.erase(0, negative || word.starts_with("+") ? 1 : 0);
  if (element == DZ_BOOL || element < DZ_F16) {
    return element == DZ_BOOL && !negative && parse_scalar(word, element, out);
  }
  word = word == "infinity" ? "inf" : word;
  return (word == "inf" || word == "nan") &&
         parse_scalar((negative ? "-" : "") + std::string(element_info(element).name) + "." + word,
                      element, out);
}

}  // namespace

bool looks_like_column(std::string_view text) {
  for (int line = 0; line < 2; ++line) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view word = trimmed(text.substr(0, end));
    if (word.empty() || word.find_first_not_of("0123456789+-.eE") != std::string_view::npos) {
      return false;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

bool looks_like_csv(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const size_t comma = line.find(',');
  return comma != std::string_view::npos &&
         line.substr(0, comma).find_first_of("[({") == std::string_view::npos;
}

std::string read_csv(std::string_view text, int32_t element, Value& out) {
  const auto width = static_cast<size_t>(element_info(element).bytes);
  out.element = element;
  out.storage.clear();
  size_t columns = 0;
  size_t rows = 0;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size() - 1);
    const std::string_view line = trimmed(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
    if (line.empty()) {
      continue;
    }
    const std::vector<std::string_view> cells = cells_of(line);
    const std::string place = "line " + std::to_string(number) + ": ";
    if (rows > 0 && cells.size() != columns) {
      return place + "a row of " + std::to_string(cells.size()) + " cells, where others have " +
             std::to_string(columns);
    }
    const size_t before = out.storage.size();
    out.storage.resize(before + cells.size() * width);
    size_t read = 0;
    while (read < cells.size() &&
           parse_cell(cells[read], element, &out.storage[before + read * width])) {
      ++read;
    }
    if (read == cells.size()) {
      columns = cells.size();
      ++rows;
    } else if (rows == 0 && number == 1) {
      out.storage.resize(before);
    } else {
      return place + "`" + std::string(cells[read]) + "` is not of type " +
             element_info(element).name;
    }
  }
  out.shape = {static_cast<int64_t>(rows)};
  if (columns != 1) {
    out.shape.push_back(static_cast<int64_t>(columns));
  }
  out.bytes = std::string_view(out.storage.data(), out.storage.size());
  return {};
}

bool ValueReader::read_csv_value(dz_leaf_type type, Value& out) {
  if (type.rank != 1 && type.rank != 2) {
    return fail_at(position_, "expected a value of type " + value_type_name(type) +
                                  ", found a table, which is a vector or a matrix");
  }
  const std::string problem = read_csv(input_.substr(position_), type.element, out);
  if (!problem.empty()) {
    error_ = std::string(source_) + ": " + problem;
    return false;
  }
  if (type.rank == 2 && out.shape.size() == 1) {
    out.shape.push_back(1);
  }
  if (static_cast<int32_t>(out.shape.size()) != type.rank) {
    return fail_at(position_, "expected a value of type " + value_type_name(type) +
                                  ", found a table of " + std::to_string(out.shape.back()) +
                                  " columns");
  }
  position_ = input_.size();
  return true;
}

void write_csv(std::string& out, int32_t element, const std::vector<int64_t>& shape,
               const char* bytes) {
  const int64_t width = element_info(element).bytes;
  const int64_t rows = shape.empty() ? 1 : shape[0];
  const int64_t columns = shape.size() < 2 ? 1 : shape[1];
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      out += (j == 0 ? "" : ",") + bare(element, bytes + (i * columns + j) * width);
    }
    out += '\n';
  }
}

}  // namespace dagaz::runtime
