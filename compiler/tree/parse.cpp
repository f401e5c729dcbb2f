// Reads the text form that text.h describes, from the same field lists as the printer.
#include "tree/parse.h"

#include <algorithm>
#include <charconv>

#include "ir/text_reader.h"
#include "tree/form.h"
#include "tree/print.h"
#include "tree/text.h"
#include "tree/walk.h"

namespace dagaz::tree {

namespace {

using ir::text::TokenKind;

class Parser : public ir::text::StructureReader<Parser> {
 public:
  using StructureReader::StructureReader;

  std::optional<ParsedProgram> run() {
    Program program;
    if (!skip_word("target")) fail_expected("`target`");
    read(program.target);
    while (!failed_ && token().kind != TokenKind::end) declaration(program);
    if (!failed_) {
      if (const auto name = names_.unbound()) {
        fail("no type is given of `" + std::string(*name) + "`");
      }
    }
    if (failed_) return std::nullopt;
    program.names = names_.take();
    program.locations = std::move(locations_);
    return ParsedProgram{std::move(program), std::move(places_)};
  }

 private:
  friend StructureReader<Parser>;
  using StructureReader::read;

  // -------------------------------------------------------------- declarations

  void declaration(Program& program) {
    const std::size_t begin = token().begin;
    if (skip_word("type")) {
      StructureReader::members(program.external_types.emplace_back());
    } else if (skip_word("entry")) {
      StructureReader::members(program.entries.emplace_back());
      if (!skip_word("parameters")) fail_expected("`parameters`");
      read(program.entry_inputs.emplace_back());
      if (!skip_word("results")) fail_expected("`results`");
      read(program.entry_outputs.emplace_back());
    } else if (skip_word("failure")) {
      Failure failure;
      read(failure.text);
      failure.location = location_from(begin);
      program.failures.push_back(std::move(failure));
    } else if (at_word("device") || at_word("function")) {
      function(program.functions.emplace_back());
    } else {
      fail_expected("`type`, `entry`, `failure` or `function`");
    }
  }
  void function(Function& out) {
    out.device = skip_word("device");
    if (!skip_word("function")) fail_expected("`function`");
    read(out.name);
    expect("(");
    if (!at_punctuation(")")) list(out.parameters);
    expect(")");
    read(out.body);
    expect("->");
    read(out.results);
  }
  Range range_from(std::size_t begin) const {
    const std::uint32_t end = at_ == 0 ? 0 : tokens_[at_ - 1].end;
    return {file_, static_cast<std::uint32_t>(begin), end};
  }
  ir::LocationId location_from(std::size_t begin) {
    locations_.push_back({range_from(begin), {}});
    return ir::LocationId(locations_.size() - 1);
  }

  // -------------------------------------------------------------- leaves

  /// A name, and its type where one follows.
  void read(NameId& out) {
    TextReader::read(out);
    if (!skip(":")) return;
    ir::Type type;
    read(type);
    if (failed_) return;
    ir::text::NameEntries::Entry& entry = names_[out];
    if (entry.bound && entry.type != type) {
      fail("`" + std::string(entry.spelling) + "` had another type before");
      return;
    }
    entry.bound = true;
    entry.type = std::move(type);
  }
  void read(Operand& out) {
    if (is_at_constant()) {
      ir::Constant constant;
      read(constant);
      out = constant;
    } else {
      NameId name;
      read(name);
      out = name;
    }
  }
  void read(Assigned& out) { read(out.name); }
  void read(Counter& out) { read(out.name); }
  void read(ir::Type& out) {
    if (skip_word("block")) {
      out = block_type();
      return;
    }
    out = ir::Type{};
    while (skip("[")) {
      read(out.shape.emplace_back());
      expect("]");
    }
    read(out.element);
  }
  void read(std::int64_t& out) {
    const std::string_view digits = token().spelling;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    if (token().kind != TokenKind::number || result.ptr != digits.data() + digits.size()) {
      fail_expected("a number");
    }
    advance();
  }
  void read(ScalarOp& out) {
    const auto op = ir::scalar_op_named(word("a scalar operation"));
    if (op) out = *op;
    if (!op) fail("this is no scalar operation");
  }
  void read(Code& out) {
    expect("{");
    while (!failed_ && !at_punctuation("}")) read(out.emplace_back());
    expect("}");
  }

  // -------------------------------------------------------------- instructions

  void read(Instruction& out) {
    const std::uint32_t begin = token().begin;
    const std::size_t number = places_.size();
    places_.push_back({});
    std::vector<Assigned> assigned;
    if (sets_names()) {
      list(assigned);
      expect("=");
    }
    begin_ = begin;
    const std::string_view mnemonic = word("an instruction");
    if (const auto op = ir::scalar_op_named(mnemonic); op && at_punctuation(".")) {
      read_assign(*op, assigned, out);
    } else if (!failed_ &&
               !read_alternative(mnemonic, assigned, out,
                                 std::make_index_sequence<std::variant_size_v<Node>>())) {
      --at_;
      fail("`" + std::string(mnemonic) + "` is no instruction");
    }
    if (!failed_) places_[number] = range_from(begin);
  }
  /// Whether names and `=` come next, rather than a mnemonic.
  bool sets_names() const {
    const auto& next = tokens_[std::min(at_ + 1, tokens_.size() - 1)];
    return next.kind == TokenKind::punctuation &&
           (next.spelling == ":" || next.spelling == "," || next.spelling == "=");
  }
  void read_assign(ScalarOp op, const std::vector<Assigned>& assigned, Instruction& out) {
    Assign assign;
    read_scalar(op, assign);
    assign.reassociate = skip_word("reassociate");
    take_assigned(assign, assigned);
    out = std::move(assign);
  }
  template <std::size_t... indices>
  bool read_alternative(std::string_view mnemonic, const std::vector<Assigned>& assigned,
                        Instruction& out, std::index_sequence<indices...>) {
    return (read_if<std::variant_alternative_t<indices, Node>>(mnemonic, assigned, out) || ...);
  }
  template <typename Alternative>
  bool read_if(std::string_view mnemonic, const std::vector<Assigned>& assigned,
               Instruction& out) {
    if (std::is_same_v<Alternative, Assign> || Alternative::mnemonic != mnemonic) return false;
    Alternative node{};
    bool seen_code = false;
    instruction_members(node, seen_code);
    take_assigned(node, assigned);
    out = std::move(node);
    return true;
  }
  /// Puts what stood before `=` into the members that are set.
  template <typename Alternative>
  void take_assigned(Alternative& node, const std::vector<Assigned>& assigned) {
    std::size_t taken = 0;
    const auto take = [&]<typename T>(T& member) {
      if constexpr (std::is_same_v<T, Assigned>) {
        if (taken < assigned.size()) member = assigned[taken];
        ++taken;
      } else if constexpr (std::is_same_v<T, std::vector<Assigned>>) {
        member = assigned;
        taken = assigned.size();
      }
    };
    std::apply([&](auto&... member) { (take(member), ...); }, node.fields());
    if (taken != assigned.size()) {
      fail("this instruction sets " + std::to_string(taken) + " variables");
    }
  }
  template <typename Part>
  void instruction_members(Part& part, bool& seen_code) {
    std::size_t at = 0;
    const auto one = [&](auto& member) {
      const std::string_view field = ir::text::label_at(Part::field_names, at++);
      instruction_member(member, text::label_of(field), text::is_labelled<Part>(field),
                         seen_code);
    };
    std::apply([&](auto&... member) { (one(member), ...); }, part.fields());
  }
  template <typename T>
  void instruction_member(T& member, std::string_view label, bool labelled, bool& seen_code) {
    if constexpr (text::stands_before<T>) {
      return;
    } else if constexpr (std::is_same_v<T, ir::LocationId>) {
      member = location_from(begin_);
    } else if constexpr (std::is_same_v<T, bool>) {
      member = skip_word(label);
    } else if constexpr (std::is_same_v<T, Space>) {
      if (at_word("shared") || at_word("local")) read(member);
    } else if constexpr (ir::detail::is_optional<T>) {
      if (skip_word(label)) read(member.emplace());
    } else if constexpr (std::is_same_v<T, Code>) {
      if (!seen_code || skip_word(label)) read(member);
      seen_code = true;
    } else if constexpr (ir::HasFields<T>) {
      instruction_members(member, seen_code);
    } else {
      if (labelled && !skip_word(label)) fail_expected("`" + std::string(label) + "`");
      read(member);
    }
  }

  std::uint32_t begin_ = 0;  // of the instruction being read
  std::vector<ir::Location> locations_;
  std::vector<Range> places_;
};

}  // namespace

std::optional<ParsedProgram> parse(FileId file, const SourceFiles& files,
                                   Diagnostics& diagnostics) {
  return Parser(file, files.file(file).text(), diagnostics).run();
}

Range place_of(const Violation& violation, const ParsedProgram& parsed) {
  Range place;
  std::size_t number = 0;
  for (const Function& function : parsed.program.functions) {
    for_each_instruction(function.body, [&](const Instruction& one) {
      if (&one == violation.instruction) place = parsed.places[number];
      ++number;
    });
  }
  return place;
}

std::string round_trip_problem(const Program& program) {
  SourceFiles files;
  Diagnostics diagnostics;
  const FileId file = files.add("printed.tree", print(program));
  const auto again = parse(file, files, diagnostics);
  if (!again) {
    return "the printed tree does not parse: " +
           render(diagnostics.all().front(), files, RenderStyle::plain);
  }
  return equal(again->program, program) ? "" : "the text form of the tree does not round-trip";
}

}  // namespace dagaz::tree
