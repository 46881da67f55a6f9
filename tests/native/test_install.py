"""`hermes-tui tokenizer install`: the library appears whole, or a sentence says why not."""

from __future__ import annotations

import os
from pathlib import Path

import apsw
import pytest

from hermes_tui.history import tokenizer
from hermes_tui.storage.errors import StorageError
from hermes_tui.storage.tokenizer_install import hermes_library, install


@pytest.fixture
def built(library: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tokenizer, "built_library", lambda: library)
    return library


def test_it_is_put_where_hermes_looks(built: Path, tmp_path: Path) -> None:
    target = install(tmp_path)
    assert target == tmp_path / "lib" / "libfts5_cjk.so" == hermes_library(tmp_path, {})
    assert target.read_bytes() == built.read_bytes()
    assert os.listdir(target.parent) == ["libfts5_cjk.so"]
    connection = apsw.Connection(":memory:")
    connection.enable_load_extension(True)
    connection.load_extension(str(target))
    connection.execute("create virtual table t using fts5(x, tokenize='cjk_unicode61')")
    connection.close()


@pytest.mark.usefixtures("built")
def test_an_older_one_is_replaced_and_not_written_into(tmp_path: Path) -> None:
    target = install(tmp_path)
    with target.open("rb") as in_use:
        before = in_use.read()
        assert install(tmp_path) == target
        in_use.seek(0)
        assert in_use.read() == before
        assert os.fstat(in_use.fileno()).st_ino != target.stat().st_ino


def test_without_a_build_it_says_how_to_get_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokenizer, "built_library", lambda: None)
    with pytest.raises(StorageError, match="C compiler"):
        install(tmp_path)
    assert os.listdir(tmp_path) == []


def test_a_build_that_does_not_load_is_not_handed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken.so"
    broken.write_bytes(b"x")
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setattr(tokenizer, "built_library", lambda: broken)
    with pytest.raises(StorageError, match="cannot be loaded"):
        install(home)
    assert os.listdir(home) == []


@pytest.mark.usefixtures("built")
def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="is not a folder"):
        install(tmp_path / "missing")


@pytest.mark.usefixtures("built")
def test_a_file_in_the_way_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "lib").write_text("mine")
    with pytest.raises(StorageError, match="cannot be written"):
        install(tmp_path)
    assert (tmp_path / "lib").read_text() == "mine"


def test_the_environment_wins_over_the_home(tmp_path: Path) -> None:
    named = tmp_path / "else.so"
    assert hermes_library(tmp_path, {tokenizer.LIBRARY_VARIABLE: str(named)}) == named
