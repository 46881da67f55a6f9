"""Keeping Python's garbage collector from holding a frame up."""

from __future__ import annotations

import gc


def set_aside() -> None:
    """Everything made so far is here to stay: the collector never looks at it again.

    Modules, style sheets and widgets are some 100,000 objects. Looking through them took 25-50 ms
    each time, between two key presses; what a conversation adds is looked through in one.
    """
    gc.freeze()
