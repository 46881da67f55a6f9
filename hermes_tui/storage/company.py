"""Who else may be writing to a history, and what would stop them.

Triggers run in the process that writes. Once the index for two-character words has triggers, a
program without its tokenizer cannot insert a message any more: measured with Hermes 0.19, whose
every write then fails. A Hermes of 2026-08 retires such an index when it opens the file, but not
while it runs. So the index is made only where no writer can be hurt by it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from hermes_tui.history import tokenizer

KNOWS_WORDS = 25
"""The schema_version from which a Hermes knows the index, and retires it where it must."""

_PROCESSES = Path("/proc")
_ACCESS_MODE = 0o3


def words_refusal(
    path: str, schema_version: int | None, environ: Mapping[str, str] = os.environ
) -> str:
    """Why the index for two-character words must not be made in this file now; '' when it may."""
    if (schema_version or 0) < KNOWS_WORDS:
        return (
            "No index for two-character words was made: the Hermes that last opened this history"
            " is too old to know it, and could not write messages any more. Searching works"
            " without it."
        )
    if _library_of_hermes(path, environ) or writers_elsewhere(path) is False:
        return ""
    return (
        "The index for two-character words was left as it is: a program that may lack its"
        " tokenizer could have this history open, and could not write messages any more. End"
        " Hermes first, or give it the tokenizer with `hermes-tui tokenizer install`."
    )


def writers_elsewhere(path: str) -> bool | None:
    """Whether another process has the file open for writing; None where that cannot be told."""
    if not (_PROCESSES / "self" / "fdinfo").is_dir():
        return None
    try:
        wanted = os.stat(path)
        processes = [each for each in _PROCESSES.iterdir() if each.name.isdigit()]
    except OSError:
        return None
    identity = (wanted.st_dev, wanted.st_ino)
    return any(
        _writes(process, identity) for process in processes if int(process.name) != os.getpid()
    )


def _writes(process: Path, identity: tuple[int, int]) -> bool:
    """Whether this process has the file open for writing; False when it may not be looked at."""
    try:
        names = os.listdir(process / "fd")
    except OSError:
        return False
    return any(_is_open_for_writing(process, name, identity) for name in names)


def _is_open_for_writing(process: Path, name: str, identity: tuple[int, int]) -> bool:
    try:
        opened = os.stat(process / "fd" / name)
        if (opened.st_dev, opened.st_ino) != identity:
            return False
        information = (process / "fdinfo" / name).read_text()
    except OSError:
        return False
    flags = next(
        (line.split()[1] for line in information.splitlines() if line.startswith("flags:")), "0"
    )
    return int(flags, 8) & _ACCESS_MODE != os.O_RDONLY


def _library_of_hermes(path: str, environ: Mapping[str, str]) -> bool:
    """Whether the Hermes of this history finds the tokenizer (fact 86)."""
    named = tokenizer.named_library(environ)
    if named is not None:
        return named.is_file()
    home = Path(path).absolute().parent
    homes = [home, home.parent.parent] if home.parent.name == "profiles" else [home]
    return any((each / "lib" / tokenizer.LIBRARY_NAME).is_file() for each in homes)
