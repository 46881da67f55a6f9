"""What the application uses outside of itself: environment, folders, programs.

Handed in, so that a test decides all of it and nothing is written beside a test's own folder.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import platformdirs

PATIENCE = 3.0
"""Seconds that a program which takes a text may need."""

Feed = Callable[[Sequence[str], bytes], bool]
"""Starts a program with this input; whether it took it."""


def feed(command: Sequence[str], data: bytes) -> bool:
    """Start a program with an input. Its output is not waited for: some go on in the background."""
    try:
        done = subprocess.run(
            list(command),
            input=data,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


def show(command: Sequence[str]) -> int:
    """Give the terminal to a program until it ends; its exit code. Raises OSError."""
    return subprocess.run(list(command), check=False).returncode


def system_clipboard(text: str) -> bool:
    """Put a text on the clipboard of the desktop; False when there is none to be reached."""
    import pyperclip  # type: ignore[import-untyped]  # looks for programs when it is imported

    try:
        pyperclip.copy(text)
    except (pyperclip.PyperclipException, OSError):
        return False
    return True


@dataclass(frozen=True, slots=True)
class Outside:
    """environ: the variables. data_dir: where bookmarks and large copies are kept. work_dir: where
    exports go.
    """

    environ: Mapping[str, str]
    data_dir: Path
    work_dir: Path
    feed: Feed = feed
    show: Callable[[Sequence[str]], int] = show
    system_clipboard: Callable[[str], bool] = system_clipboard


def real_outside() -> Outside:
    """The user's own."""
    return Outside(os.environ, Path(platformdirs.user_data_dir("hermes-tui")), Path.cwd())
