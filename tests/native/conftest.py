"""Connections that have the C tokenizer, built from this checkout, or its twin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from hermes_tui.history import tokenizer

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


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
