// The pictures, films and sounds of a literate program: values become files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "script/evaluate.h"
#include "tools/literate/blocks.h"

namespace dagaz::driver {

/// What a directive leaves behind.
struct LiterateFile {
  std::string name;        // without folder
  std::string attributes;  // what Markdown says behind it
};

/// Carries out directives that make files.
class LiterateFiles {
 public:
  /// Files go to `folder`, under names made of `hash`.
  LiterateFiles(const script::Machine& machine, std::filesystem::path folder, std::string hash)
      : machine_(machine), folder_(std::move(folder)), hash_(std::move(hash)) {}

  /// Nothing, with `problem` set, if it fails.
  std::optional<LiterateFile> make(const tools::literate::Directive& directive,
                                   const script::Value& value, std::string& problem);

 private:
  using Directive = tools::literate::Directive;
  using Result = std::optional<LiterateFile>;

  Result image(const Directive& directive, const script::Value& value, std::string& problem);
  Result plot(const Directive& directive, const script::Value& value, std::string& problem);
  Result gnuplot(const Directive& directive, const script::Value& value, std::string& problem);
  Result video(const Directive& directive, const script::Value& value, std::string& problem);
  Result audio(const Directive& directive, const script::Value& value, std::string& problem);
  std::string name_for(const Directive& directive, const std::string& ending) const;
  Result write(const std::string& name, const std::string& bytes, std::string& problem) const;

  const script::Machine& machine_;
  std::filesystem::path folder_;
  std::string hash_;
};

/// `$loadimg` and `$loadaudio`, of files that `machine` reads.
std::optional<script::Value> load_media(const script::Machine& machine, const std::string& builtin,
                                        const std::vector<script::Value>& arguments,
                                        std::string& problem);

}  // namespace dagaz::driver
