#include "driver/standard_input.h"

#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "data/npz.h"
#include "values.h"

namespace dagaz::driver {

bool unpack_standard_input() {
  // Who types has no archive, and nobody at a terminal is waited for.
  if (isatty(STDIN_FILENO) != 0) return true;
  const int first = std::getc(stdin);
  if (first == EOF) return true;
  std::ungetc(first, stdin);
  if (first != runtime::npz_magic.front()) return true;
  auto input = runtime::read_everything(stdin);
  std::string problem = "cannot read the arguments";
  if (input && data::is_npz(*input)) input = data::unpacked_npz(*input, problem);
  std::FILE* plain = input ? std::tmpfile() : nullptr;
  if (plain == nullptr) {
    std::cerr << "dagaz: standard input: " << problem << "\n";
    return false;
  }
  const bool written = std::fwrite(input->data(), 1, input->size(), plain) == input->size() &&
                       std::fflush(plain) == 0;
  const bool replaced = written && lseek(fileno(plain), 0, SEEK_SET) == 0 &&
                        dup2(fileno(plain), STDIN_FILENO) >= 0;
  std::fclose(plain);
  std::rewind(stdin);
  return replaced;
}

}  // namespace dagaz::driver
