"""Start mhagui from a checkout: ``python main.py``, with the arguments of ``mhagui``."""

import sys

from mhagui.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
