"""Copying a text so that it arrives: tmux, the desktop's clipboard, the terminal, or a file."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path

from hermes_tui.text.clean import clean_line
from hermes_tui.tui.files import write_new
from hermes_tui.tui.outside import Outside

OSC52_LIMIT = 70_000
"""Bytes, as base64, that terminals take in one clipboard sequence; xterm takes no more."""

_REMOTE = ("SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT")


@dataclass(frozen=True, slots=True)
class Sent:
    """Where a copy went. told: what to say. osc52: whether the terminal is still to be asked."""

    told: str
    osc52: bool = False
    failed: bool = False


def send(text: str, outside: Outside, name: str = "copy") -> Sent:
    """Copy clean text, by the way that is likeliest to arrive. May take seconds: workers only.

    name: what a file is called, should it come to that.
    """
    data = text.encode("utf-8", errors="replace")
    if outside.environ.get("TMUX"):
        for command in (("tmux", "load-buffer", "-w", "-"), ("tmux", "load-buffer", "-")):
            if outside.feed(command, data):
                return Sent("sent to the tmux buffer (paste with prefix ])")
    remote = any(outside.environ.get(variable) for variable in _REMOTE)
    # On another machine the desktop's clipboard is not the one of the person at the keyboard.
    if not remote and outside.system_clipboard(text):
        return Sent("sent to the clipboard")
    if len(base64.b64encode(data)) <= OSC52_LIMIT:
        return Sent("sent to the terminal, if it takes OSC 52", osc52=True)
    try:
        path = write_new(outside.data_dir / "copies", name, "txt", [text])
    except OSError as error:
        return Sent(f"too large for the terminal, and no file: {reason(error)}", failed=True)
    return Sent(f"too large for the terminal; written to {shown(path)}")


def shown(path: Path) -> str:
    """A path to show: clean, the home folder as ~."""
    try:
        home = Path.home()
    except RuntimeError:
        return clean_line(str(path))
    if not path.is_relative_to(home):
        return clean_line(str(path))
    return clean_line(str(Path("~") / path.relative_to(home)))


def reason(error: OSError) -> str:
    """Why a file could not be written."""
    return clean_line(error.strerror or type(error).__name__, 120).lower()
