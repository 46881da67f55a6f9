"""Writing files: names made of stored text, never over another file."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable
from pathlib import Path

from hermes_tui.text.clean import clean_line

NAME_LIMIT = 60
_NO_NAME = re.compile(r"[^\w-]+")
_TRIES = 1_000


def file_name(*parts: str) -> str:
    """A file name of words: letters and digits of any language, joined by hyphens.

    It holds no dot, slash or blank, so it can name no other folder and hide nothing.
    """
    words = (_NO_NAME.sub("-", clean_line(part)).strip("-_")[:NAME_LIMIT] for part in parts)
    name = "-".join(word for word in words if word)
    while len(name.encode("utf-8")) > 180:  # file systems count bytes
        name = name[:-1]
    return name.strip("-") or "hermes"


def write_new(folder: Path, name: str, suffix: str, pieces: Iterable[str]) -> Path:
    """Write a new file, for its owner only; `-2`, `-3` … is added to a name that is taken.

    Raises OSError; what was written until then is removed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for number in itertools.count(1):
        path = folder / f"{name}{'' if number == 1 else f'-{number}'}.{suffix}"
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            break
        except FileExistsError:
            if number == _TRIES:
                raise
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace", newline="\n") as file:
            for piece in pieces:
                file.write(piece)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path
