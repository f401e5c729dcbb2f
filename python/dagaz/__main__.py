"""`python -m dagaz` is the compiler."""

import sys

from ._cli import main

sys.exit(main())
