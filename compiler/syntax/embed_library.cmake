# Writes OUTPUT, a C++ file that holds the texts of FILES as raw strings.
set(rows "")
foreach(path IN LISTS FILES)
  get_filename_component(name ${path} NAME_WE)
  file(READ ${path} text)
  string(APPEND rows "    {\"${name}\", R\"dagaz(${text})dagaz\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Generated from stdlib/ by embed_library.cmake.
#include \"syntax/imports.h\"

namespace dagaz::syntax {

namespace {
constexpr LibraryFile files[] = {
${rows}};
}  // namespace

std::span<const LibraryFile> standard_library() { return files; }

}  // namespace dagaz::syntax
")
