// `main` of a stand-alone executable.
#include "program_main.h"

int main(int argc, char** argv) {
  return dz_program_main(dz_main_program, argc, argv, {stdin, stdout, stderr});
}
