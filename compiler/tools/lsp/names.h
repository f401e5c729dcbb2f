// The parts of a checked program, under short names.
#pragma once

#include "query/analysis.h"
#include "query/index.h"
#include "query/walk.h"
#include "query/words.h"

namespace dagaz::tools::lsp {

using query::Analysis;
using query::Definition;
using query::Index;
using query::Span;
using query::SymbolKind;
using query::Visitor;
using query::documentation;
using query::is_identifier;
using query::is_operator;
using query::is_primitive_type;
using query::is_word;
using query::is_word_character;
using query::keywords;
using query::type_definition;
using query::type_text;
using query::value_type;
using query::walk;

}  // namespace dagaz::tools::lsp
