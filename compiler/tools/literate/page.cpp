#include "tools/literate/page.h"

#include <cmark.h>

#include <cstdlib>

#include "support/markup.h"

namespace dagaz::tools::literate {

namespace {

constexpr const char* style =
    ":root{color-scheme:light dark}"
    "body{max-width:46rem;margin:2rem auto;padding:0 1rem;font:16px/1.5 system-ui,sans-serif}"
    "pre{padding:.7rem 1rem;overflow:auto;border-radius:6px;background:#8881;font-size:.85rem}"
    "code{font-family:ui-monospace,monospace}"
    "img,video{max-width:100%}img{image-rendering:pixelated}img[src$=\".svg\"]{image-rendering:"
    "auto}";

bool ends_with_one_of(const std::string& name, std::initializer_list<const char*> endings) {
  for (const char* ending : endings) {
    if (name.ends_with(ending)) return true;
  }
  return false;
}

// Markdown has one notation for pictures, films and sounds.
std::string with_players(std::string html) {
  const std::string begin = "<img src=\"";
  for (std::size_t at = 0; (at = html.find(begin, at)) != std::string::npos; ++at) {
    const std::size_t name = at + begin.size();
    const std::size_t quote = html.find('"', name);
    const std::size_t end = html.find('>', name);
    if (quote == std::string::npos || end == std::string::npos) break;
    const std::string file = html.substr(name, quote - name);
    const bool is_film = ends_with_one_of(file, {".webm", ".mp4"});
    if (!is_film && !ends_with_one_of(file, {".wav", ".ogg", ".mp3", ".flac", ".opus"})) continue;
    const std::string kind = is_film ? "video" : "audio";
    html.replace(at, end + 1 - at,
                 "<" + kind + " controls src=\"" + file + "\"></" + kind + ">");
  }
  return html;
}

}  // namespace

std::string html_page(const std::string& title, const std::string& markdown) {
  char* text = cmark_markdown_to_html(markdown.data(), markdown.size(), CMARK_OPT_UNSAFE);
  const std::string body = with_players(text);
  std::free(text);
  return "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>" +
         escape_markup(title) + "</title>\n<style>" + style + "</style>\n<main>\n" + body +
         "</main>\n</html>\n";
}

}  // namespace dagaz::tools::literate
