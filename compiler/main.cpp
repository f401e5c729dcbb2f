// The compiler's main function.
#include "driver/command_line.h"

int main(int argc, char** argv) { return dagaz::driver::run_command_line(argc, argv); }
