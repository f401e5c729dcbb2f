"""`python -m dagaz` is the compiler; with `--prefix` alone it says where that is installed, for
CMake (CMAKE_PREFIX_PATH) and pkg-config (PKG_CONFIG_PATH=…/lib/pkgconfig)."""

import sys

from ._build import compiler
from ._cli import main

if sys.argv[1:] == ["--prefix"]:
    print(compiler().resolve().parent.parent)
    sys.exit(0)
sys.exit(main())
