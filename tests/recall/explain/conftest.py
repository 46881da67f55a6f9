"""Histories for explanations: the recorded ones, and small ones made for one cause."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hermes_tui.history.locate import Place
from hermes_tui.history.reader import History
from hermes_tui.history.tokenizer import register

Open = Callable[[Path], History]


@pytest.fixture
def opened() -> Iterator[Open]:
    """Opens histories with the CJK tokenizer and closes them at the end."""
    histories: list[History] = []

    def open_one(path: Path) -> History:
        histories.append(History.open(Place(str(path), ""), register=register))
        return histories[-1]

    yield open_one
    for history in histories:
        history.close()


@pytest.fixture
def big(copy_db: Callable[[str], Path], opened: Open) -> History:
    return opened(copy_db("history-3k"))
