// `main` of a server executable.
#include "program_main.h"

int main(int argc, char** argv) {
  return dz_server_main(dz_main_program, argc, argv, {stdin, stdout, stderr, nullptr});
}
