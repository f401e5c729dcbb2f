#include "driver/literate_command.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>

#include "driver/literate_files.h"
#include "driver/program_in_memory.h"
#include "driver/script_machine.h"
#include "driver/test_input.h"
#include "support/check.h"
#include "support/md5.h"
#include "tools/literate/page.h"
#include "tools/literate/peer_text.h"

namespace dagaz::driver {

namespace {

namespace fs = std::filesystem;
namespace lit = tools::literate;

bool write(const fs::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (out.flush()) return true;
  std::cerr << "dagaz: cannot write `" << path.string() << "`\n";
  return false;
}

// What earlier runs left in the folder: names that begin with a digest.
void remove_old_files(const fs::path& folder, const std::set<std::string>& kept) {
  constexpr std::size_t digest = 32;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const bool is_ours =
        name.size() > digest && name[digest] == '-' &&
        name.find_first_not_of("0123456789abcdef") >= digest;
    if (is_ours && !kept.contains(name)) fs::remove(entry.path(), error);
  }
}

class Weaver {
 public:
  Weaver(const LiterateOptions& options, const ProgramInMemory& program, const std::string& hash,
         const fs::path& output)
      : options_(options),
        machine_(script_machine(program, fs::path(options.compile.file).parent_path(),
                                options.verbose)),
        folder_(output.parent_path() / (output.stem().string() + "-img")),
        files_(machine_, folder_, hash) {
    machine_.builtin = [this](const std::string& builtin, const std::vector<script::Value>& given,
                              std::string& problem) {
      return load_media(machine_, builtin, given, problem);
    };
  }
  Weaver(const Weaver&) = delete;
  Weaver& operator=(const Weaver&) = delete;

  /// The page; nothing if a directive failed and that ends everything.
  std::optional<std::string> weave(const std::vector<lit::Block>& blocks) {
    std::string page;
    for (const lit::Block& block : blocks) {
      if (&block != &blocks.front()) page += '\n';
      switch (block.kind) {
        case lit::Block::Kind::text: page += block.text; break;
        case lit::Block::Kind::code:
          if (!block.text.empty()) page += "```futhark\n" + block.text + "```\n";
          break;
        case lit::Block::Kind::directive: page += directive(block); break;
      }
      if (failed_ && options_.stop_on_error) return std::nullopt;
    }
    remove_old_files(folder_, written_);
    return page;
  }
  bool failed() const { return failed_; }

 private:
  std::string directive(const lit::Block& block) {
    const lit::Directive& what = block.directive;
    std::string prompt;
    if (what.shown == lit::Shown::all) prompt = "```\n" + block.text + "```\n";
    if (what.shown == lit::Shown::without_parameters) {
      prompt = "```\n" + lit::printed(what, what.shown) + "\n```\n";
    }
    if (options_.verbose) std::cerr << lit::printed(what, lit::Shown::all) << "\n";
    std::string problem;
    if (auto result = carried_out(what, problem)) return prompt + "\n" + *result;
    failed_ = true;
    std::cerr << options_.compile.file << ":" << block.line << ": `"
              << lit::printed(what, lit::Shown::without_parameters) << "` failed:\n"
              << problem << "\n";
    return prompt + "\n**FAILED**\n```\n" + problem + "\n```\n";
  }

  std::optional<std::string> carried_out(const lit::Directive& what, std::string& problem) {
    const auto value = script::evaluate(what.expression, machine_, problem);
    if (!value) return std::nullopt;
    if (what.kind == lit::DirectiveKind::result) {
      const auto text = script::text_of(*value, problem);
      if (!text) return std::nullopt;
      return "```\n" + *text + "\n```\n";
    }
    const auto file = files_.make(what, *value, problem);
    if (!file) return std::nullopt;
    written_.insert(file->name);
    return "![](" + folder_.filename().string() + "/" + file->name + ")" +
           (file->attributes.empty() ? "" : "{" + file->attributes + "}") + "\n";
  }

  const LiterateOptions& options_;
  script::Machine machine_;
  fs::path folder_;
  LiterateFiles files_;
  std::set<std::string> written_;
  bool failed_ = false;
};

}  // namespace

int literate_command(const LiterateOptions& options) {
  const Doing doing("weaving a literate program");
  const auto text = read_file(options.compile.file);
  std::string problem;
  const auto blocks = text ? lit::parse_blocks(*text, problem) : std::nullopt;
  if (!blocks) {
    std::cerr << "dagaz: "
              << (text ? options.compile.file + ":" + problem
                       : "cannot read `" + options.compile.file + "`")
              << "\n";
    return 1;
  }
  const std::set<std::string> functions = lit::functions_in(*blocks);
  CompileOptions compile = options.compile;
  compile.entry_points.assign(functions.begin(), functions.end());
  const fs::path output = options.output.empty()
                              ? fs::path(options.compile.file).replace_extension(".md")
                              : fs::path(options.output);
  const auto weave = [&](const ProgramInMemory& program) {
    // The peer takes the digest as a line.
    Weaver weaver(options, program, md5(lit::peer_text(*text)) + "\n", output);
    const auto page = weaver.weave(*blocks);
    if (!page || !write(output, *page)) return 1;
    const fs::path html = fs::path(output).replace_extension(".html");
    if (options.html && !write(html, lit::html_page(output.stem().string(), *page))) return 1;
    return weaver.failed() ? 1 : 0;
  };
  return with_program(compile, options.program_arguments, weave);
}

}  // namespace dagaz::driver
