// Splits the text form of the IR into words, numbers (with sign and type suffix), texts and
// punctuation (`->` and `>=` are one token).
#include "ir/lexer.h"

namespace dagaz::ir::text {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_word_character(char c) { return is_word_start(c) || is_digit(c) || c == '\''; }

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    for (;;) {
      skip_blank();
      tokens.push_back(next());
      if (tokens.back().kind == TokenKind::end) return tokens;
    }
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }
  void skip_blank() {
    for (;;) {
      const char c = peek();
      if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
        ++at_;
      } else if (c == '-' && peek(1) == '-') {
        while (at_ < source_.size() && source_[at_] != '\n') ++at_;
      } else {
        return;
      }
    }
  }

  Token next() {
    const std::size_t begin = at_;
    if (at_ >= source_.size()) return token(TokenKind::end, begin);
    const char c = peek();
    if (is_word_start(c)) {
      while (is_word_character(peek())) ++at_;
      return token(TokenKind::word, begin);
    }
    if (is_digit(c) || (c == '-' && is_digit(peek(1)))) {
      number();
      return token(TokenKind::number, begin);
    }
    if (c == '"') return quoted();
    const bool pair = (c == '-' && peek(1) == '>') || (c == '>' && peek(1) == '=');
    at_ += pair ? 2 : 1;
    return token(TokenKind::punctuation, begin);
  }

  void number() {
    ++at_;
    while (is_digit(peek())) ++at_;
    if (peek() == '.' && is_digit(peek(1))) {
      ++at_;
      while (is_digit(peek())) ++at_;
    }
    const bool sign = peek(1) == '-' || peek(1) == '+';
    if (peek() == 'e' && is_digit(peek(sign ? 2 : 1))) {
      at_ += sign ? 2 : 1;
      while (is_digit(peek())) ++at_;
    }
    while (is_word_character(peek())) ++at_;
  }

  Token quoted() {
    const std::size_t begin = at_++;
    while (at_ < source_.size() && source_[at_] != '"') at_ += source_[at_] == '\\' ? 2 : 1;
    if (at_ > source_.size()) at_ = source_.size();
    Token result = token(TokenKind::text, begin);
    result.spelling.remove_prefix(1);
    if (at_ < source_.size()) ++at_;
    return result;
  }

  Token token(TokenKind kind, std::size_t begin) const {
    return {kind, source_.substr(begin, at_ - begin), static_cast<std::uint32_t>(begin),
            static_cast<std::uint32_t>(at_)};
  }

  std::string_view source_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<Token> tokenize(std::string_view source) { return Lexer(source).run(); }

std::string unescaped(std::string_view spelling) {
  std::string result;
  for (std::size_t i = 0; i < spelling.size(); ++i) {
    if (spelling[i] == '\\' && i + 1 < spelling.size()) {
      ++i;
      result += spelling[i] == 'n' ? '\n' : spelling[i];
    } else {
      result += spelling[i];
    }
  }
  return result;
}

}  // namespace dagaz::ir::text
