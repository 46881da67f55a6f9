"""The C tokenizer built from this checkout, and connections that have it or its twin."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from hermes_tui.history import tokenizer

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "native" / "fts5_cjk" / "cjk_unicode61.c"
STRICT = [
    "-std=c99",
    "-O1",
    "-g",
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wconversion",
    "-Werror",
    "-shared",
    "-fPIC",
]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def compiler() -> str:
    found = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
    if found is None:
        pytest.skip("no C compiler: the C tokenizer cannot be built here")
    return found


@pytest.fixture(scope="session")
def library(compiler: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Under the name Hermes gives it, so that its entry point has to be found by that name."""
    built = tmp_path_factory.mktemp("native") / "libfts5_cjk.so"
    subprocess.run([compiler, *STRICT, str(SOURCE), "-o", str(built)], check=True, timeout=120)
    return built


@pytest.fixture
def connect(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., apsw.Connection]]:
    """Opens a database with the tokenizer of one kind; closed after the test."""
    # Whether this package is installed with its C part must not decide what is tested.
    monkeypatch.setattr(tokenizer, "built_library", lambda: None)
    opened: list[apsw.Connection] = []

    def open_with(kind: tokenizer.Kind, path: str | Path = ":memory:") -> apsw.Connection:
        connection = apsw.Connection(str(path))
        opened.append(connection)
        environ = {}
        if kind == "c":
            environ[tokenizer.LIBRARY_VARIABLE] = str(request.getfixturevalue("library"))
        assert tokenizer.register(connection, prefer=kind, environ=environ) == kind
        return connection

    yield open_with
    for connection in opened:
        connection.close()


@pytest.fixture(params=["c", "python"])
def kind(request: pytest.FixtureRequest) -> tokenizer.Kind:
    return request.param


@pytest.fixture
def connection(connect: Callable[..., apsw.Connection], kind: tokenizer.Kind) -> apsw.Connection:
    """In memory, with the C tokenizer or its twin: a test that asks for it runs with both."""
    return connect(kind)
