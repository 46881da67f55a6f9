"""Puts the C tokenizer where Hermes Agent looks for it (fact 86), on request only."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import apsw

from hermes_tui.history import tokenizer
from hermes_tui.storage.errors import StorageError, shown


def hermes_library(home: Path, environ: Mapping[str, str] = os.environ) -> Path:
    """The file from which Hermes loads its CJK tokenizer, whether or not it is there.

    HERMES_FTS5_CJK_SO wins over `lib/` in the Hermes home (fact 86).
    """
    return tokenizer.named_library(environ) or home / "lib" / tokenizer.LIBRARY_NAME


def install(directory: Path) -> Path:
    """Copy the C tokenizer to `lib/libfts5_cjk.so` in a Hermes home; the file written.

    The file appears whole or not at all, so that a Hermes that starts meanwhile never loads half
    of it, and one that runs keeps the file it has loaded. StorageError when this package was
    installed without its C tokenizer, when that does not load, or when `directory` is not a
    folder that can be written to.
    """
    library = _working_library()
    if not directory.is_dir():
        raise StorageError(f"{shown(directory)} is not a folder; name the Hermes home.")
    target = directory / "lib" / tokenizer.LIBRARY_NAME
    try:
        target.parent.mkdir(exist_ok=True)
        _copy_whole(library, target)
    except OSError as error:
        reason = shown(error.strerror or "unknown error")
        raise StorageError(f"{shown(target)} cannot be written: {reason}.") from error
    return target


def _working_library() -> Path:
    library = tokenizer.built_library()
    if library is None:
        raise StorageError(
            "This installation has no C tokenizer: install hermes-tui again where a C compiler "
            "and SQLite's sqlite3ext.h are found (Debian: gcc and libsqlite3-dev)."
        )
    connection = apsw.Connection(":memory:")
    try:
        problem = tokenizer.attach(connection, prefer="c", environ={}).problem
    finally:
        connection.close()
    if problem:
        raise StorageError(f"Not installed: {shown(problem)}")
    return library


def _copy_whole(source: Path, target: Path) -> None:
    """Copy beside the target and move into place."""
    handle, name = tempfile.mkstemp(prefix=".libfts5_cjk-", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as copy, source.open("rb") as original:
            shutil.copyfileobj(original, copy)
            copy.flush()
            os.fsync(copy.fileno())
        os.chmod(name, 0o644)
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
