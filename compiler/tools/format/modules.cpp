// Declarations, modules and module types.
#include <algorithm>

#include "support/match.h"
#include "tools/format/formatter.h"

namespace dagaz::tools {

std::uint32_t Formatter::start_with_attributes(std::uint32_t begin) const {
  const std::vector<Range>& tokens = source_.tokens();
  auto place = std::partition_point(tokens.begin(), tokens.end(), [&](const Range& token) {
    return token.begin < begin;
  });
  while (place != tokens.begin() && source_.token_is(*(place - 1), "]")) {
    auto open = place;
    while (open != tokens.begin() && source_.text(*(open - 1)).find_first_of("[{=") ==
                                         std::string_view::npos) {
      --open;
    }
    if (open == tokens.begin() || !source_.token_is(*(open - 1), "#[")) break;
    place = open - 1;
  }
  return place == tokens.end() ? begin : std::min(begin, place->begin);
}

// One on each line, or all before what they belong to.
void Formatter::attributes_before(std::uint32_t begin, bool on_lines) {
  std::uint32_t next = start_with_attributes(begin);
  while (next < begin) {
    Range end = source_.token_from(next);
    while (!source_.token_is(end, "]")) end = source_.token_from(end.end);
    comments_before(next);
    tokens({end.file, next, end.end});
    next = source_.token_from(end.end).begin;
    separate(on_lines, next);
  }
}

bool Formatter::on_neighbouring_lines(const Range& previous, const Range& next) const {
  return !spans_lines(previous) && !spans_lines(next) &&
         source_.line(next.begin) == source_.line(previous.end) + 1;
}

// Whether the comment that is due is the only one before the byte, and behind code.
bool Formatter::comment_stays_behind(std::uint32_t next) const {
  if (!comment_due(next)) return false;
  const auto& comments = source_.comments();
  const bool is_last = next_comment_ + 1 == comments.size() ||
                       comments[next_comment_ + 1].begin >= next;
  return is_last && !source_.begins_line(comments[next_comment_].begin);
}

// The comments between two declarations, or behind the last one.  One behind code becomes a
// paragraph of its own, or it would seem to speak of what follows, as documentation does.
void Formatter::comments_between(std::uint32_t offset) {
  while (comment_due(offset)) {
    const Range& comment = source_.comments()[next_comment_];
    const bool behind_code = !source_.begins_line(comment.begin);
    if (behind_code || source_.follows_blank_line(comment.begin)) out_.blank_line();
    comments_before(comment.begin + 1);
    if (behind_code && !source_.text(comment).starts_with("-- |")) out_.blank_line();
  }
  if (source_.follows_blank_line(offset)) out_.blank_line();
}

template <typename F>
void Formatter::items(const std::vector<Range>& ranges, const F& print_item) {
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const std::uint32_t start = start_with_attributes(ranges[i].begin);
    if (i > 0) {
      const Range& previous = ranges[i - 1];
      const Range next{ranges[i].file, start, ranges[i].end};
      const bool adjacent = start == ranges[i].begin && on_neighbouring_lines(previous, next) &&
                            start_with_attributes(previous.begin) == previous.begin;
      if (adjacent && (!comment_due(start) || comment_stays_behind(start))) {
        end_line(start);
      } else {
        out_.blank_line();
      }
    }
    comments_between(start);
    print_item(i);
  }
}

std::string Formatter::file(const ast::File& file) {
  std::vector<Range> ranges;
  for (const ast::Declaration* item : file.declarations) ranges.push_back(item->range);
  items(ranges, [&](std::size_t i) { declaration(*file.declarations[i]); });
  if (!ranges.empty()) out_.blank_line();
  comments_between(static_cast<std::uint32_t>(-1));
  return out_.take();
}

template <typename F>
void Formatter::braces(const Range& range, const std::vector<Range>& ranges,
                       const F& print_item) {
  out_.text("{");
  const std::uint32_t close = range.end - 1;
  // Attributes have lines of their own.
  const bool has_attributes = source_.text(range).find("#[") != std::string_view::npos;
  if (spans_lines(range) || has_attributes) {
    const Indent indent(out_, 2);
    end_line(ranges.empty() ? close : start_with_attributes(ranges.front().begin));
    if (ranges.empty() && !comment_due(close)) out_.blank_line();
    items(ranges, print_item);
    if (comment_stays_behind(close)) end_line(close);
    if (comment_due(close)) {
      if (!ranges.empty()) out_.blank_line();
      comments_between(close);
    }
    if (!ranges.empty()) out_.newline();
  } else {
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (i > 0) out_.space();
      print_item(i);
    }
  }
  out_.text("}");
}

void Formatter::declaration(const ast::Declaration& declaration) {
  comments_before(start_with_attributes(declaration.range.begin));
  attributes_before(declaration.range.begin, true);
  comments_before(declaration.range.begin);
  bare(declaration);
}

void Formatter::bare(const ast::Declaration& declaration) {
  match(
      declaration.node, [&](const ast::ValueDeclaration& d) { value(d, declaration.range); },
      [&](const ast::TypeDeclaration& d) {
        tokens({declaration.range.file, declaration.range.begin,
                source_.token_before(d.name.range.begin).end});
        out_.space();
        token(d.name.range);
        out_.space();
        {
          const Align align(out_);
          type_parameters(d.parameters);
        }
        out_.space();
        token(source_.token_before(d.definition->range.begin));
        const Indent indent(out_, 2);
        separate(spans_lines(declaration.range), d.definition->range.begin);
        type(*d.definition);
      },
      [&](const ast::ModuleDeclaration& d) { module_declaration(d); },
      [&](const ast::SignatureDeclaration& d) { signature_declaration(d, declaration.range); },
      [&](const ast::OpenDeclaration& d) {
        if (d.module->range.begin == declaration.range.begin) return module(*d.module);
        out_.text("open");
        out_.space();
        module(*d.module);
      },
      [&](const ast::LocalDeclaration& d) {
        // `import "f"` is `local open import "f"`.
        const Range& inner = d.declaration->range;
        if (inner.begin == declaration.range.begin) return bare(*d.declaration);
        out_.text("local");
        const std::uint32_t start = start_with_attributes(inner.begin);
        separate(comment_due(inner.begin) || start < inner.begin, start);
        this->declaration(*d.declaration);
      });
}

void Formatter::value(const ast::ValueDeclaration& value, const Range& range) {
  out_.text(value.keyword == ast::ValueKeyword::entry ? "entry" : "def");
  out_.space();
  comments_before(source_.token_from(range.begin + 3).begin);
  function_head(value.name, value.function);
  const ast::Exp& body = *value.function.body;
  out_.space();
  token(source_.token_before(body.range.begin));
  const Indent indent(out_, 2);
  separate(spans_lines(range), body.range.begin);
  expression(body);
}

// ---------------------------------------------------------------- modules

void Formatter::module_declaration(const ast::ModuleDeclaration& module) {
  out_.text("module");
  out_.space();
  token(module.name.range);
  const auto open = [&](const ast::ModuleParameter& parameter) {
    return source_.token_before(parameter.name.range.begin).begin;
  };
  const bool on_lines = std::any_of(
      module.parameters.begin(), module.parameters.end(), [&](const auto& parameter) {
        const std::uint32_t begin = open(parameter);
        return source_.line(source_.token_before(begin).end) != source_.line(begin);
      });
  const bool wide = module.signature != nullptr && spans_lines(module.signature->range) &&
                    as<ast::SignatureBody>(module.signature->node) == nullptr;
  {
    const Indent indent(out_, 2);
    for (const ast::ModuleParameter& parameter : module.parameters) {
      separate(on_lines, open(parameter));
      module_parameter(parameter);
    }
    if (module.signature != nullptr) {
      const Range colon = source_.token_before(module.signature->range.begin);
      separate(wide, colon.begin);
      token(colon);
      out_.space();
      if (wide) {
        const Align align(out_);
        signature(*module.signature);
      }
    }
  }
  if (module.signature != nullptr && !wide) signature(*module.signature);
  out_.space();
  token(source_.token_before(module.body->range.begin));
  out_.space();
  this->module(*module.body);
}

void Formatter::module_parameter(const ast::ModuleParameter& parameter) {
  token(source_.token_before(parameter.name.range.begin));
  token(parameter.name.range);
  token(source_.token_before(parameter.signature->range.begin));
  out_.space();
  signature(*parameter.signature);
  token(source_.token_from(parameter.signature->range.end));
}

void Formatter::module(const ast::ModuleExp& module) {
  comments_before(module.range.begin);
  with_parentheses(module, [&](const Range& range) { bare(module, range); });
}

void Formatter::bare(const ast::ModuleExp& module, const Range& range) {
  match(
      module.node, [&](const ast::ModuleName& m) { qualified(m.name); },
      [&](const ast::ModuleImport&) {
        out_.text("import");
        out_.space();
        token(source_.token_before(range.end));
      },
      [&](const ast::ModuleBody& m) {
        std::vector<Range> ranges;
        for (const ast::Declaration* item : m.declarations) ranges.push_back(item->range);
        braces(range, ranges, [&](std::size_t i) { declaration(*m.declarations[i]); });
      },
      [&](const ast::ModuleApply& m) {
        this->module(*m.function);
        out_.space();
        this->module(*m.argument);
      },
      [&](const ast::ModuleAscription& m) {
        this->module(*m.module);
        out_.space();
        token(source_.token_before(m.signature->range.begin));
        out_.space();
        signature(*m.signature);
      },
      [&](const ast::ModuleLambda& m) {
        out_.text("\\");
        module_parameter(m.parameter);
        if (m.result != nullptr) {
          out_.space();
          token(source_.token_before(m.result->range.begin));
          out_.space();
          signature(*m.result);
        }
        out_.space();
        token(source_.token_before(m.body->range.begin));
        out_.space();
        this->module(*m.body);
      });
}

// ---------------------------------------------------------------- module types

void Formatter::signature_declaration(const ast::SignatureDeclaration& declaration,
                                      const Range& range) {
  tokens({range.file, range.begin, range.begin + 6});
  out_.space();
  token(source_.token_before(declaration.name.range.begin));
  out_.space();
  token(declaration.name.range);
  out_.space();
  token(source_.token_before(declaration.signature->range.begin));
  const bool is_body = as<ast::SignatureBody>(declaration.signature->node) != nullptr;
  const Indent indent(out_, is_body ? 0 : 2);
  separate(spans_lines(range) && !is_body, declaration.signature->range.begin);
  signature(*declaration.signature);
}

void Formatter::signature(const ast::SignatureExp& signature) {
  comments_before(signature.range.begin);
  with_parentheses(signature, [&](const Range& range) { bare(signature, range); });
}

void Formatter::bare(const ast::SignatureExp& signature, const Range& range) {
  match(
      signature.node, [&](const ast::SignatureName& s) { qualified(s.name); },
      [&](const ast::SignatureBody& s) {
        std::vector<Range> ranges;
        for (const ast::Spec& item : s.specs) ranges.push_back(item.range);
        braces(range, ranges, [&](std::size_t i) { spec(s.specs[i]); });
      },
      [&](const ast::SignatureWith& s) { signature_with(s, spans_lines(range)); },
      [&](const ast::SignatureArrow&) { signature_arrow(signature, range); });
}

// All of `S with t = i32 with u = i64` on one line, or each of them on its own.
void Formatter::signature_with(const ast::SignatureWith& with, bool on_lines) {
  const auto* inner = as<ast::SignatureWith>(with.signature->node);
  if (inner != nullptr && !in_parentheses(*with.signature)) {
    signature_with(*inner, on_lines);
  } else {
    signature(*with.signature);
  }
  const Range keyword = source_.token_from(with.signature->range.end);
  separate(on_lines, keyword.begin);
  token(keyword);
  out_.space();
  qualified(with.type_name);
  out_.space();
  type_parameters(with.parameters);
  out_.space();
  token(source_.token_before(with.definition->range.begin));
  out_.space();
  type(*with.definition);
}

void Formatter::signature_arrow(const ast::SignatureExp& signature, const Range& range) {
  const ast::SignatureExp* next = &signature;
  bool on_lines = spans_lines(range);
  while (const auto* arrow = as<ast::SignatureArrow>(next->node)) {
    if (arrow->parameter) {
      module_parameter({*arrow->parameter, arrow->from, {}});
    } else {
      this->signature(*arrow->from);
    }
    const Range sign = source_.token_before(arrow->to->range.begin);
    separate(on_lines, sign.begin);
    token(sign);
    out_.space();
    next = arrow->to;
    if (in_parentheses(*next)) break;
    comments_before(next->range.begin);
    on_lines = spans_lines(next->range);
  }
  this->signature(*next);
}

void Formatter::spec(const ast::Spec& spec) {
  const std::uint32_t begin = spec.range.begin;
  comments_before(start_with_attributes(begin));
  attributes_before(begin, true);
  comments_before(begin);
  const auto parameters = [&](const std::vector<ast::TypeParameter>& list) {
    if (list.empty()) return;
    out_.space();
    const Align align(out_);
    type_parameters(list);
  };
  const auto colon = [&](std::uint32_t offset) {
    out_.space();
    token(source_.token_before(offset));
  };
  match(
      spec.node,
      [&](const ast::ValueSpec& s) {
        out_.text("val");
        out_.space();
        binding(s.name);
        parameters(s.type_parameters);
        colon(s.type->range.begin);
        const Indent indent(out_, 2);
        separate(spans_lines(spec.range), s.type->range.begin);
        type(*s.type);
      },
      [&](const ast::TypeSpec& s) {
        tokens({spec.range.file, begin, source_.token_before(s.name.range.begin).end});
        out_.space();
        token(s.name.range);
        parameters(s.parameters);
        if (s.definition == nullptr) return;
        colon(s.definition->range.begin);
        const Indent indent(out_, 2);
        separate(spans_lines(spec.range), s.definition->range.begin);
        type(*s.definition);
      },
      [&](const ast::ModuleSpec& s) {
        out_.text("module");
        out_.space();
        token(s.name.range);
        colon(s.signature->range.begin);
        out_.space();
        signature(*s.signature);
      },
      [&](const ast::IncludeSpec& s) {
        out_.text("include");
        out_.space();
        signature(*s.signature);
      });
}

}  // namespace dagaz::tools
