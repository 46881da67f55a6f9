"""The three streams of the program, as it finds them: any of them may be closed, full or odd."""

from __future__ import annotations

import os
import sys


def prepare() -> None:
    """Let what is no UTF-8 pass as U+FFFD, in either direction, instead of ending the program."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def finish() -> None:
    """Write out what is buffered. Raises OSError when stdout does not take it."""
    if sys.stdout is not None:
        sys.stdout.flush()


def abandon() -> None:
    """Let what is still buffered go nowhere, so that Python does not complain when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def are_terminals() -> bool:
    """Whether somebody types on stdin and looks at stdout."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))
