"""Histories in the old form, made from the sample once for each module of tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from old_form import keep_first, make_inline

from hermes_tui import demo


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample in the form of Hermes 0.19: 1,500 messages, inline indexes."""
    path = tmp_path_factory.mktemp("old") / "state.db"
    demo.write_demo(path)
    make_inline(path)
    return path


@pytest.fixture(scope="module")
def short(old: Path) -> Path:
    """The same with 400 messages, for tests that run it a hundred times."""
    path = old.with_name("short.db")
    path.write_bytes(old.read_bytes())
    keep_first(path, 400)
    return path


@pytest.fixture
def inline(old: Path, tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    path.write_bytes(old.read_bytes())
    return path
