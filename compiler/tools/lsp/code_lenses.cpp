// Above each test block: what runs it, and what times it.  The commands are the server's own, so
// that every editor that shows lenses can do so without knowing more.
#include <string>
#include <string_view>

#include "tools/lsp/requests.h"

namespace dagaz::tools::lsp {

namespace {

constexpr std::string_view block_begin = "-- ==";

Json lens(const Query& query, std::uint32_t line, const char* title, const char* command) {
  const Json place = place_json({line, 0});
  return {{"range", {{"start", place}, {"end", place}}},
          {"command",
           {{"title", title},
            {"command", command},
            {"arguments", {query.document.address, line + 1}}}}};
}

}  // namespace

Json code_lenses(const Query& query) {
  Json result = Json::array();
  std::string_view rest = query.document.text;
  for (std::uint32_t line = 0; !rest.empty(); ++line) {
    if (rest.starts_with(block_begin)) {
      result.push_back(lens(query, line, "Run test", test_command));
      result.push_back(lens(query, line, "Run benchmark", bench_command));
    }
    const std::size_t end = rest.find('\n');
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  return result;
}

}  // namespace dagaz::tools::lsp
