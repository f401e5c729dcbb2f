"""The command `dagaz` of an installed package: the compiler that came with it."""

import os
import sys

from ._build import compiler
from ._errors import Error


def main():
    try:
        program = str(compiler())
    except Error as error:
        print(f"dagaz: {error}", file=sys.stderr)
        return 2
    os.execv(program, [program, *sys.argv[1:]])
    return 70
