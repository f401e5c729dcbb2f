#include "driver/test_update.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>

#include "data/arrays.h"
#include "data/binary_values.h"
#include "driver/test_input.h"
#include "values.h"

namespace dagaz::driver {

namespace fs = std::filesystem;

std::string expectation_text(const std::string& result, const std::string& old) {
  static const std::regex any_type("[iuf](8|16|32|64)\\b");
  // `3i32` and `2.5f64` are what numbers without a type are.
  static const std::regex usual_type("(\\d)(i32|f64)\\b");
  const bool has_types = std::regex_search(old, any_type);
  std::string out;
  for (const std::string& bytes : data::split_binary(result)) {
    const data::Array value = data::array_of(bytes);
    std::string text = data::text_of(value);
    const bool is_usual = value.element == DZ_I32 || value.element == DZ_F64;
    if (!has_types && is_usual) text = std::regex_replace(text, usual_type, "$1");
    out += " " + text;
  }
  return out + " ";
}

// All or nothing: a file that cannot be written stays as it is.
static bool replace_file(const std::string& path, const std::string& text) {
  std::error_code error;
  const fs::path file = fs::canonical(path, error);
  if (error) return false;
  const fs::path fresh = file.string() + ".new";
  std::ofstream out(fresh, std::ios::binary);
  out << text;
  out.close();
  bool done = static_cast<bool>(out);
  if (done) fs::permissions(fresh, fs::status(file, error).permissions(), error);
  if (done) fs::rename(fresh, file, error);
  done = done && !error;
  if (!done) fs::remove(fresh, error);
  return done;
}

std::string rewrite_file(const std::string& path, const std::string& text,
                         std::vector<Rewrite> changes) {
  std::sort(changes.begin(), changes.end(),
            [](const Rewrite& a, const Rewrite& b) { return a.begin < b.begin; });
  std::string out;
  std::size_t at = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Rewrite& change = changes[i];
    if (i > 0 && changes[i - 1].begin == change.begin) {
      if (changes[i - 1].text == change.text) continue;
      return "two entry points that share a case have different results";
    }
    out += text.substr(at, change.begin - at) + change.text;
    at = change.end;
  }
  out += text.substr(at);
  if (read_file(path) != text) return "the file has changed meanwhile";
  return replace_file(path, out) ? "" : "the file cannot be written";
}

}  // namespace dagaz::driver
