// Reads the text form that text.h describes, from the same field lists as the printer.
#include "ir/parse.h"

#include "ir/text_reader.h"

namespace dagaz::ir {

namespace {

using text::NameEntries;
using text::TokenKind;

class Parser : public text::StructureReader<Parser> {
 public:
  using StructureReader::StructureReader;

  std::optional<Program> run() {
    Program program;
    while (!failed_ && token().kind != TokenKind::end) declaration(program);
    if (!failed_) {
      if (const auto name = names_.unbound()) {
        fail("`" + std::string(*name) + "` is used but bound nowhere");
      }
    }
    if (failed_) return std::nullopt;
    program.names = names_.take();
    program.locations = std::move(locations_);
    return program;
  }

  std::optional<PlanText> plan() {
    PlanText found;
    while (!failed_ && token().kind != TokenKind::end) {
      if (skip_word(Settings::mnemonic)) {
        members(found.settings.emplace());
        continue;
      }
      NameId name;
      read(name);
      expect(":");
      read(found.schedules[name]);
    }
    if (failed_) return std::nullopt;
    return found;
  }

 private:
  friend StructureReader<Parser>;
  using StructureReader::read;

  // -------------------------------------------------------------- parts of operations

  void read(Binder& out) {
    read(out.name);
    expect(":");
    Type type;
    read(type);
    if (failed_) return;
    NameEntries::Entry& entry = names_[out.name];
    if (entry.bound) {
      fail("`" + std::string(entry.spelling) + "` is bound before");
      return;
    }
    entry.bound = true;
    entry.type = std::move(type);
  }
  void read(SliceDimension& out) {
    read(out.start);
    out.fixed = !skip(":");
    out.count = i64_operand(1);
    out.stride = i64_operand(1);
    if (out.fixed) return;
    read(out.count);
    expect(":");
    read(out.stride);
  }
  void read(Body& out) {
    expect("{");
    while (!failed_ && !at_word("return")) read(out.statements.emplace_back());
    advance();
    if (!at_punctuation("}")) list(out.results);
    expect("}");
  }
  void read(Lambda& out) {
    expect("\\");
    expect("(");
    if (!at_punctuation(")")) list(out.parameters);
    expect(")");
    expect("->");
    read(out.result_types);
    read(out.body);
  }
  void read(std::variant<ForForm, WhileForm>& out) {
    if (skip_word("for")) {
      read(out.emplace<ForForm>());
    } else if (skip_word("while")) {
      read(out.emplace<WhileForm>().condition);
    } else {
      fail_expected("`for` or `while`");
    }
  }
  void read(Schedule& out) {
    read(out.versions);
    if (skip_word("operations")) read(out.operations);
    if (skip_word("lanes")) read(out.lanes);
    if (skip_word("additions")) read(out.additions);
    if (skip_word("least_piece")) read(out.least_piece);
    if (skip_word("apart")) read(out.apart);
    if (skip_word("appends")) read(out.appends);
    if (skip_word("strip")) read(out.strip);
    if (skip_word("link")) read(out.link);
  }
  void read(Version& out) {
    const std::string_view mnemonic = word("a strategy");
    if (!failed_ && !read_strategy(mnemonic, out.strategy,
                                   std::make_index_sequence<std::variant_size_v<Strategy>>())) {
      --at_;
      fail("`" + std::string(mnemonic) + "` is no strategy");
    }
    if (skip_word("when")) read(out.when);
  }
  void read(Product& out) {
    do {
      Operand size;
      if (skip_word("resident")) {
        out.resident = true;
        continue;
      }
      if (skip_word("block_bytes")) {
        out.block_bytes = true;
        continue;
      }
      read(size);
      if (!size.is_constant()) {
        out.sizes.push_back(size);
      } else {
        out.factor *= integer_value(size.constant());
      }
    } while (!failed_ && skip("*"));
  }
  template <std::size_t... indices>
  bool read_strategy(std::string_view mnemonic, Strategy& out, std::index_sequence<indices...>) {
    const auto read_if = [&]<std::size_t index>(std::integral_constant<std::size_t, index>) {
      if (std::variant_alternative_t<index, Strategy>::mnemonic != mnemonic) return false;
      members(out.emplace<index>());
      return true;
    };
    return (read_if(std::integral_constant<std::size_t, indices>()) || ...);
  }

  // -------------------------------------------------------------- statements

  void read(Operation& out) {
    const std::string_view mnemonic = word("an operation");
    if (const auto op = scalar_op_named(mnemonic)) {
      read_scalar(*op, out.emplace<Scalar>());
      return;
    }
    constexpr auto alternatives = std::make_index_sequence<std::variant_size_v<Operations>>();
    if (!failed_ && !read_alternative(mnemonic, out, alternatives)) {
      --at_;
      fail("`" + std::string(mnemonic) + "` is no operation");
    }
  }
  template <std::size_t... indices>
  bool read_alternative(std::string_view mnemonic, Operation& out,
                        std::index_sequence<indices...>) {
    return (read_if<indices>(mnemonic, out) || ...);
  }
  template <std::size_t index>
  bool read_if(std::string_view mnemonic, Operation& out) {
    using Node = std::variant_alternative_t<index, Operations>;
    if constexpr (std::is_same_v<Node, Scalar>) {
      return false;
    } else {
      if (Node::mnemonic != mnemonic) return false;
      members(out.emplace<index>());
      return true;
    }
  }
  void read(Statement& out) {
    const std::uint32_t begin = token().begin;
    if (!at_punctuation("=")) list(out.results);
    expect("=");
    read(out.operation);
    if (skip_word("if")) read(out.tokens);
    if (skip("#")) {
      expect("[");
      const std::string_view mode = word("`forward` or `reverse`");
      out.mode = mode == "forward" ? ModeRequest::forward : ModeRequest::reverse;
      expect("]");
    }
    if (failed_) return;
    const Range range{file_, begin, tokens_[at_ - 1].end};
    locations_.push_back({range, {}});
    out.location = LocationId(locations_.size() - 1);
  }

  // -------------------------------------------------------------- declarations

  void declaration(Program& program) {
    const bool noinline = skip_word("noinline");
    Sorts sorts = Sorts::no;
    if (skip_word("sorting")) {
      sorts = skip_word("signed") ? Sorts::signed_numbers : Sorts::unsigned_numbers;
    }
    if (noinline || sorts != Sorts::no) {
      if (!skip_word("function")) fail_expected("`function`");
      Function& read = program.functions.emplace_back();
      function(read);
      read.noinline = noinline;
      read.sorts = sorts;
    } else if (skip_word("function")) {
      function(program.functions.emplace_back());
    } else if (skip_word("type")) {
      members(program.external_types.emplace_back());
    } else if (skip_word("entry")) {
      members(program.entries.emplace_back());
    } else {
      fail_expected("`function`, `type` or `entry`");
    }
  }
  void function(Function& out) {
    if (token().kind == TokenKind::text) {
      read(out.name);
    } else {
      out.name = word("the function's name");
    }
    expect("(");
    while (!failed_ && !at_punctuation(")")) {
      out.consumes.push_back(skip("*"));
      read(out.parameters.emplace_back());
      if (!at_punctuation(")")) expect(",");
    }
    expect(")");
    expect("->");
    read(out.result_types);
    read(out.body);
  }

  std::vector<Location> locations_;
};

}  // namespace

std::optional<Program> parse(FileId file, const SourceFiles& files, Diagnostics& diagnostics) {
  return Parser(file, files.file(file).text(), diagnostics).run();
}

std::optional<PlanText> parse_plan(FileId file, const SourceFiles& files,
                                   Diagnostics& diagnostics) {
  return Parser(file, files.file(file).text(), diagnostics).plan();
}

}  // namespace dagaz::ir
