// The files that the editor has open, as it has them, and those of its folders on disk.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "syntax/imports.h"
#include "tools/lsp/protocol.h"
#include "tools/lsp/text.h"

namespace dagaz::tools::lsp {

class Snapshot;

/// How a construct was differentiated.
struct DerivativeNote {
  std::uint32_t begin;  // of the construct, in the text of the program's root
  std::string construct;
  std::string mode;
  std::string reason;
};

/// What is done with a test block, and what came of it.
enum class RunKind { test, bench };
struct RunResult {
  bool succeeded = false;
  std::string output;
};

/// What the server uses of the rest of the compiler.
struct Services {
  /// The formatted text; nothing if `text` is no program.
  std::function<std::optional<std::string>(const std::string& name, const std::string& text)>
      format;
  /// What is said of the derivatives in the program whose root is at `path`; nothing if it has
  /// mistakes or takes too long.
  std::function<std::vector<DerivativeNote>(const std::string& path,
                                            const syntax::FileReader& read)>
      derivatives;
  std::string version;
  /// Runs the test block around `line` of the program on disk, until it ends or is to stop.  In any
  /// thread.
  std::function<RunResult(RunKind kind, const std::string& path, unsigned line,
                          const std::stop_token& stop)>
      run;
};

/// One open file.
struct Document {
  std::string address;
  std::string path;
  std::int64_t version = 0;
  std::string text;
  /// The state of checking; null after a change.
  std::shared_ptr<const Snapshot> snapshot = nullptr;
  bool is_published = false;
};

class Workspace {
 public:
  explicit Workspace(const Services& services) : services_(services) {}

  const Services& services() const { return services_; }
  Encoding encoding = Encoding::utf16;
  std::vector<std::string> folders;
  bool takes_snippets = false;

  Document& open(const std::string& address, std::int64_t version, std::string text);
  void close(const std::string& address);
  Document* find(const std::string& address);
  std::map<std::string, Document>& documents() { return documents_; }
  const std::map<std::string, Document>& documents() const { return documents_; }
  /// Forgets what was checked of the files that read `path`.
  void changed(const std::string& path);

  /// A file as the editor has it, else as it is on disk.
  std::optional<std::string> read(const std::string& path) const;
  /// The program whose root is at `path`, checked; null if there is no such file.
  std::shared_ptr<const Snapshot> check(const std::string& path) const;
  /// Every program in the folders, and every open one.
  std::vector<std::string> programs() const;

 private:
  const Services& services_;
  std::map<std::string, Document> documents_;  // by path
};

}  // namespace dagaz::tools::lsp
