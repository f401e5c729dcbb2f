#include "codegen/short_ptx.h"

#include <llvm/ADT/StringExtras.h>

namespace dagaz::codegen {

namespace {

bool is_of_name(char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; }

/// The function that begins in this line; empty if none does.
llvm::StringRef begun_function(llvm::StringRef line) {
  if (!line.starts_with(".") || !(line.contains(".entry ") || line.contains(".func "))) return {};
  const llvm::StringRef head = line.rtrim("()");
  return head.drop_front(head.find_last_of(" \t)") + 1);
}

}  // namespace

std::string ShortPtx::line(llvm::StringRef text) {
  text = text.split("//").first.rtrim();
  if (text.empty()) return {};
  if (const llvm::StringRef name = begun_function(text); !name.empty()) function_ = name.str();
  const std::string parameter = function_ + "_param_";
  constexpr llvm::StringRef label = "$L__BB";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const llvm::StringRef rest = text.drop_front(at);
    const bool begins = at == 0 || !is_of_name(text[at - 1]);
    if (begins && rest.starts_with(parameter)) {
      out += "p";
      at += parameter.size();
    } else if (begins && rest.starts_with(label)) {
      out += "$L";
      at += rest.find('_', label.size()) + 1;
    } else if (rest.starts_with(" \t")) {
      ++at;
    } else if (rest.starts_with(", ")) {
      out += ',';
      at += 2;
    } else {
      out += text[at++];
    }
  }
  out += '\n';
  return out;
}

}  // namespace dagaz::codegen
