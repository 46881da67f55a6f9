"""Gives a connection the tokenizer of the CJK index: the C one where it can be had, or its twin.

An index names its tokenizer, and MATCH fails on a connection that does not know it (schema
history 2.8); a tokenizer lives in one connection, so each connection has to be given it.

Which file may be loaded is a question of trust, because loading one runs its code:

1. The library built with this package. It is as trusted as the package.
2. The file that HERMES_FTS5_CJK_SO names (fact 86): whoever sets our environment asked for it.
   It need not be ours, so it is tried out: a tokenizer that puts offsets inside a character makes
   snippet() return broken text, and is covered by the twin.

`lib/libfts5_cjk.so` in the Hermes home is left to Hermes. It was put there for another program,
a history copied from elsewhere may bring its own, and the twin reads the same index without it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Literal

import apsw

from hermes_tui.history.cjk_words import cjk_tokenizer
from hermes_tui.text.clean import clean_line

NAME = "cjk_unicode61"
"""The tokenizer's name in CREATE VIRTUAL TABLE."""
LIBRARY_VARIABLE = "HERMES_FTS5_CJK_SO"
"""The environment variable that names the library, for Hermes and for us."""
LIBRARY_NAME = "libfts5_cjk.so"
"""What Hermes calls the library, in `lib/` of its home."""

Kind = Literal["c", "python"]
Wanted = Literal["c", "python", "auto"]


@dataclass(frozen=True, slots=True)
class Source:
    """Which tokenizer a connection was given, and from where.

    `kind` is None when it has none. `path` is the library for 'c'. `problem` is one sentence on
    why a library that was there, or was asked for, is not used, fit to be shown; '' when nothing
    went wrong.
    """

    kind: Kind | None
    path: Path | None = None
    problem: str = ""


def register(
    connection: apsw.Connection, *, prefer: Wanted = "auto", environ: Mapping[str, str] = os.environ
) -> Kind | None:
    """Make `cjk_unicode61` known to `connection`; which one it is now, None when it has none.

    'auto' takes the C one and otherwise the twin, 'c' and 'python' only that one. Never raises
    for a missing or broken library. Extension loading is off again afterwards.
    """
    return attach(connection, prefer=prefer, environ=environ).kind


def attach(
    connection: apsw.Connection, *, prefer: Wanted = "auto", environ: Mapping[str, str] = os.environ
) -> Source:
    """`register`, telling also which file was loaded and what was wrong with it."""
    problem = ""
    if prefer != "python":
        source = _attach_library(connection, environ)
        if source.kind or prefer == "c":
            return source
        problem = source.problem
    return _attach_twin(connection, problem)


def built_library() -> Path | None:
    """The library built with this package; None when it was installed without a C compiler."""
    for suffix in EXTENSION_SUFFIXES:
        library = Path(__file__).with_name(f"_fts5_cjk{suffix}")
        if library.is_file():
            return library
    return None


def named_library(environ: Mapping[str, str] = os.environ) -> Path | None:
    """The file HERMES_FTS5_CJK_SO names, whether or not it is there; None when it is not set."""
    name = environ.get(LIBRARY_VARIABLE, "").strip()
    return Path(name).expanduser().absolute() if name else None


def _attach_library(connection: apsw.Connection, environ: Mapping[str, str]) -> Source:
    """Load the first library that can be had, ours before the one that is named."""
    problem = ""
    built = built_library()
    if built is not None:
        problem = _load(connection, built)
        if not problem:
            return Source("c", built)
    named = named_library(environ)
    if named is None:
        return Source(None, None, problem)
    if not named.is_file():
        name = clean_line(str(named))
        return Source(None, None, f"{LIBRARY_VARIABLE} names {name}, which is not there.")
    problem = _load(connection, named) or _fault(connection, named)
    return Source(None, None, problem) if problem else Source("c", named)


def _attach_twin(connection: apsw.Connection, problem: str) -> Source:
    try:
        connection.register_fts5_tokenizer(NAME, cjk_tokenizer)
    except (AttributeError, apsw.Error):
        # An apsw before FTS5 support (3.47), or a SQLite without FTS5: such an index stays unread.
        return Source(None, None, problem or "This apsw offers no FTS5 tokenizers.")
    return Source("python", None, problem)


def _load(connection: apsw.Connection, library: Path) -> str:
    """Load one library; '' when that worked, otherwise what went wrong."""
    switch = apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION
    try:
        # This switch opens the C interface only: load_extension() in SQL stays closed, so that no
        # view or trigger of the file could use the moment.
        connection.config(switch, 1)
        connection.load_extension(str(library))
    except (apsw.Error, AttributeError, OSError) as error:
        return f"{clean_line(str(library))} cannot be loaded: {clean_line(str(error))}."
    finally:
        with suppress(apsw.Error):
            connection.config(switch, 0)
    return ""


def _fault(connection: apsw.Connection, library: Path) -> str:
    """What is wrong with a library that is not ours; '' when its offsets are exact."""
    text = "Éa山川".encode()  # folding makes the first character a byte shorter
    expected = [(0, 3, "ea"), (3, 9, "山川")]
    try:
        tokens = connection.fts5_tokenizer(NAME, [])(text, apsw.FTS5_TOKENIZE_DOCUMENT, None)
        is_exact = list(tokens) == expected
    except (AttributeError, ValueError, apsw.Error):
        is_exact = False
    name = clean_line(str(library))
    return "" if is_exact else f"{name} marks the wrong characters, so it is not used."
