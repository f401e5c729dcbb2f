// See newcomers.h.
#include "check/newcomers.h"

#include <algorithm>
#include <string>
#include <utility>

#include "syntax/foreign_functions.h"
#include "syntax/imports.h"

namespace dagaz::check {

namespace {

using Called = std::pair<std::string_view, std::string_view>;

constexpr Called types_elsewhere[] = {
    {"float64", "f64"},  {"double", "f64"}, {"Double", "f64"},  {"float32", "f32"},
    {"float", "f32"},    {"float", "f64"},  {"Float", "f32"},   {"float16", "f16"},
    {"half", "f16"},     {"real", "f64"},   {"int", "i64"},     {"int", "i32"},
    {"Int", "i64"},      {"integer", "i64"}, {"int8", "i8"},    {"int16", "i16"},
    {"int32", "i32"},    {"int64", "i64"},  {"long", "i64"},    {"short", "i16"},
    {"uint8", "u8"},     {"uint16", "u16"}, {"uint32", "u32"},  {"uint64", "u64"},
    {"byte", "u8"},      {"char", "u8"},    {"usize", "i64"},   {"isize", "i64"},
    {"boolean", "bool"}, {"Bool", "bool"},  {"string", "[]u8"}, {"String", "[]u8"},
};

constexpr Called values_elsewhere[] = {
    {"fst", "the parts of a pair `p` are `p.0` and `p.1`"},
    {"snd", "the parts of a pair `p` are `p.0` and `p.1`"},
    {"mod", "the remainder of a division is `x % y`"},
    {"rem", "the remainder of a division is `x % y`"},
    {"div", "`x / y` divides integers, too"},
    {"fold", "`reduce` combines with an associative function; `foldl` and `foldr` go in order"},
};

constexpr Called words_elsewhere[] = {
    {"True", "true"}, {"False", "false"}, {"otherwise", "true"}, {"len", "length"}};

bool is_part_of(const ast::Program& program, std::string_view library) {
  const std::string path = syntax::library_path(library);
  return std::any_of(program.files.begin(), program.files.end(),
                     [&](const ast::File& file) { return file.path == path; });
}

// Whether a line of `text` begins with `def name`, perhaps in a module.
bool defines(std::string_view text, std::string_view name) {
  const std::string wanted = "def " + std::string(name) + " ";
  for (std::size_t at = text.find(wanted); at != std::string_view::npos;
       at = text.find(wanted, at + 1)) {
    const std::size_t before = at == 0 ? at : text.find_last_not_of(' ', at - 1);
    if (at == 0 || before == std::string_view::npos || text[before] == '\n') return true;
  }
  return false;
}

}  // namespace

std::vector<std::string_view> types_called(std::string_view name) {
  std::vector<std::string_view> result;
  for (const auto& [elsewhere, here] : types_elsewhere) {
    if (elsewhere == name) result.push_back(here);
  }
  return result;
}

std::string_view library_defining(const ast::Program& program, std::string_view name) {
  for (const syntax::LibraryFile& file : syntax::standard_library()) {
    if (!is_part_of(program, file.name) && defines(file.text, name)) return file.name;
  }
  return "";
}

void hint_at_unknown_type(Diagnostic& diagnostic, std::string_view name, const Range& range) {
  const std::vector<std::string_view> types = types_called(name);
  for (const std::string_view type : types) {
    diagnostic.hints.emplace_back(
        "here this type is called `" + std::string(type) + "`",
        std::vector<Edit>{{range, std::string(type)}},
        types.size() == 1 ? Applicability::certain : Applicability::possible);
  }
}

void hint_at_unknown_value(Diagnostic& diagnostic, const Context& context, std::string_view name,
                           const Range& range) {
  const std::string_view library = library_defining(context.program, name);
  if (!library.empty()) {
    const std::string line = "import \"" + std::string(library) + "\"";
    diagnostic.hints.emplace_back("the standard library has it: `" + line + "`",
                                  std::vector<Edit>{{{range.file, 0, 0}, line + "\n"}},
                                  Applicability::certain);
  }
  for (const auto& [elsewhere, here] : words_elsewhere) {
    if (elsewhere != name) continue;
    diagnostic.hints.emplace_back("here it is written `" + std::string(here) + "`",
                                  std::vector<Edit>{{range, std::string(here)}},
                                  Applicability::certain);
  }
  for (const auto& [elsewhere, hint] : values_elsewhere) {
    if (elsewhere == name) diagnostic.hints.emplace_back(std::string(hint));
  }
  if (syntax::begins_function_elsewhere(name)) {
    diagnostic.hints.emplace_back(syntax::lambda_hint);
  }
}

}  // namespace dagaz::check
