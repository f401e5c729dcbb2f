#include "driver/data_command.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <optional>

#include "data/npz.h"
#include "driver/compare_values.h"
#include "driver/test_input.h"
#include "support/check.h"
#include "values.h"

namespace dagaz::driver {

namespace {

using data::Array;

int fail(const std::string& problem) {
  std::cerr << "dagaz: " << problem << "\n";
  return 1;
}

// Puts values into their forms; an archive is written at the end.
class Output {
 public:
  /// False, after saying why, where the form cannot hold the value.
  bool add(Array value, DataFormat format) {
    switch (format) {
      case DataFormat::text: text_ += data::text_of(value) + "\n"; break;
      case DataFormat::binary: text_ += data::binary_of(value); break;
      case DataFormat::type: text_ += data::type_text(value) + "\n"; break;
      case DataFormat::npy:
        runtime::write_npy(text_, value.element, value.shape, value.bytes.data());
        break;
      case DataFormat::npz:
        members_.push_back({"arr_" + std::to_string(members_.size()), std::move(value)});
        break;
      case DataFormat::csv: return add_table(value);
    }
    return true;
  }
  int write() {
    if (!members_.empty()) text_ += data::write_npz(members_);
    const std::size_t written = std::fwrite(text_.data(), 1, text_.size(), stdout);
    if (written != text_.size() || std::fflush(stdout) != 0) return fail("cannot write the values");
    return 0;
  }

 private:
  bool add_table(const Array& value) {
    if (has_table_ || value.shape.size() > runtime::most_csv_dimensions) {
      fail("a CSV table is one value of at most two dimensions");
      return false;
    }
    has_table_ = true;
    runtime::write_csv(text_, value.element, value.shape, value.bytes.data());
    return true;
  }

  std::string text_;
  std::vector<data::Member> members_;
  bool has_table_ = false;
};

bool add_all(std::vector<Array> values, DataFormat format, Output& output) {
  for (Array& value : values) {
    if (!output.add(std::move(value), format)) return false;
  }
  return true;
}

int convert(DataFormat format) {
  const auto text = runtime::read_everything(stdin);
  if (!text) return fail("cannot read standard input");
  std::string problem;
  auto values = data::read_values(*text, "standard input", problem);
  if (!values) return fail(problem);
  Output output;
  return add_all(std::move(*values), format, output) ? output.write() : 1;
}

int make(const DataOptions& options) {
  Output output;
  uint64_t seed = options.seed;
  for (const DataOptions::Order& order : options.orders) {
    std::string problem;
    auto value = data::random_value(order.type, order.bounds, seed++, problem);
    if (value) {
      if (!output.add(std::move(*value), order.format)) return 1;
      continue;
    }
    std::string unread;
    auto values = data::read_values(order.type, "the value", unread);
    if (!values || values->empty()) return fail(problem);
    if (!add_all(std::move(*values), order.format, output)) return 1;
  }
  return output.write();
}

std::optional<std::vector<Array>> read_file_values(const std::string& path) {
  const auto text = read_data(path);
  std::string problem = "cannot read `" + path + "`";
  auto values = text ? data::read_values(*text, path, problem) : std::nullopt;
  if (!values) fail(problem);
  return values;
}

}  // namespace

int data_command(const DataOptions& options) {
  const Doing doing("making data");
  return options.orders.empty() ? convert(options.format) : make(options);
}

int datacmp_command(const DatacmpOptions& options) {
  const Doing doing("comparing data");
  const auto got = read_file_values(options.got);
  const auto expected = got ? read_file_values(options.expected) : std::nullopt;
  if (!got || !expected) return 1;
  bool same = got->size() == expected->size();
  if (!same) {
    std::cout << "there are " << got->size() << " values, expected " << expected->size() << "\n";
  }
  for (std::size_t i = 0; i < std::min(got->size(), expected->size()); ++i) {
    if (const auto found = array_difference((*got)[i], (*expected)[i], Tolerance::peer)) {
      std::cout << "Value #" << i << *found << "\n";
      same = false;
    }
  }
  return same ? 0 : 1;
}

}  // namespace dagaz::driver
