// Program text as HTML: coloured by kinds of tokens, names linked to what they mean.
#pragma once

#include <string>

#include "query/analysis.h"
#include "query/index.h"
#include "syntax/trivia.h"
#include "tools/doc/places.h"

namespace dagaz::tools::doc {

/// The texts of one file.
class Code {
 public:
  Code(const query::Analysis& analysis, const query::Index& index, const Places& places,
       FileId file);

  /// What names lead to: their documentation or, of all others, the line that defines them.
  enum class Links { to_documentation, to_everything };
  /// The text of `range` for the page `page`.
  std::string html(const Range& range, const std::string& page,
                   Links links = Links::to_documentation) const;
  /// The whole file, with an anchor for each line.
  std::string lines(const std::string& page) const;
  /// A declaration without its attributes, from `begin` up to the `=` outside of
  /// brackets, or to `end` if there is none.
  Range head(std::uint32_t begin, std::uint32_t end) const;

 private:
  std::string link(const query::Index::Occurrence& name, const std::string& page,
                   Links links) const;

  const query::Analysis& analysis_;
  const query::Index& index_;
  const Places& places_;
  FileId file_;
  std::string_view text_;
  syntax::Trivia trivia_;
};

}  // namespace dagaz::tools::doc
