"""`python -m hermes_tui` is the console script `hermes-tui`."""

import sys

from hermes_tui.cli import main

if __name__ == "__main__":
    sys.exit(main())
