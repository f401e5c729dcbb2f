// Programs of several files: order, cycles, missing files, and the embedded library.
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "syntax/imports.h"

namespace {

using namespace dagaz;

struct Loaded {
  SourceFiles sources;
  NameTable names;
  Diagnostics diagnostics;
  ast::Program program;

  using Files = std::map<std::string, std::string>;
  explicit Loaded(const Files& files) {
    const auto read = [&](const std::string& path) -> std::optional<std::string> {
      const auto found = files.find(path);
      if (found == files.end()) return std::nullopt;
      return found->second;
    };
    program = syntax::parse_program("main.fut", sources, names, diagnostics, read);
  }

  // The paths of the program's own files.
  std::string order() const {
    std::string paths;
    for (const ast::File& file : program.files) {
      if (!file.path.starts_with("/prelude/")) paths += file.path + " ";
    }
    return paths;
  }
  std::string error() const {
    if (diagnostics.all().empty()) return "";
    return std::string(kind_name(diagnostics.all().front().kind));
  }
};

}  // namespace

TEST_CASE("imports stand before importers, each once") {
  const Loaded loaded({{"main.fut", "import \"lib/a\"\nmodule b = import \"lib/b\""},
                       {"lib/a.fut", "import \"b\"\nimport \"../c\""},
                       {"lib/b.fut", "import \"../c\""},
                       {"c.fut", "def c = 1"}});
  CHECK(loaded.error() == "");
  CHECK(loaded.order() == "c lib/b lib/a main ");
}

TEST_CASE("a circle of imports is reported") {
  const Loaded loaded({{"main.fut", "import \"a\""}, {"a.fut", "import \"main\""}});
  CHECK(loaded.error() == "import-cycle");
}

TEST_CASE("a missing file is reported at the import") {
  const Loaded loaded(Loaded::Files{{"main.fut", "import \"nowhere\""}});
  CHECK(loaded.error() == "import-missing");
}

TEST_CASE("library files are found where no file of that name exists") {
  CHECK(Loaded(Loaded::Files{{"main.fut", "import \"derivatives\""}}).order() == "main ");
  CHECK(Loaded(Loaded::Files{{"main.fut", "import \"derivatives\""}, {"derivatives.fut", ""}})
            .order() == "derivatives main ");
  CHECK(Loaded(Loaded::Files{{"main.fut", "import \"/futlib/soacs\""}}).error() == "");
}
