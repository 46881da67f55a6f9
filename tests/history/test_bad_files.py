"""What is no history: one sentence that says what it is and what to do."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.history.errors import HistoryError
from hermes_tui.history.locate import Place, locate
from hermes_tui.history.reader import History
from hermes_tui.text.clean import clean_line

ENOUGH = (
    "create table sessions(id text primary key, source text, started_at real);"
    "create table messages(id integer primary key, session_id text, role text, content text, "
    "timestamp real);"
)


def refusal(path: Path) -> str:
    """The sentence a person gets for a file."""
    with pytest.raises(HistoryError) as caught:
        History.open(locate(str(path), environ={})).close()
    sentence = str(caught.value)
    assert sentence.endswith("."), sentence
    assert sentence[0].isupper() or sentence.startswith(clean_line(str(path))), sentence
    assert not re.search("[\x00-\x1f\x7f-\x9f]", sentence), sentence
    assert "Error" not in sentence, sentence
    return sentence


def test_nothing_there(tmp_path: Path) -> None:
    sentence = refusal(tmp_path / "none.db")
    assert str(tmp_path / "none.db") in sentence
    assert "--db" in sentence
    assert "--demo" in sentence
    assert list(tmp_path.iterdir()) == []


def test_a_folder_without_a_history(tmp_path: Path) -> None:
    assert str(tmp_path / "state.db") in refusal(tmp_path)


def test_a_folder_named_like_a_history(tmp_path: Path) -> None:
    (tmp_path / "state.db").mkdir()
    assert "is a folder" in refusal(tmp_path)


def test_zero_bytes(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    path.touch()
    assert "zero bytes" in refusal(path)
    assert path.stat().st_size == 0
    assert [p.name for p in tmp_path.iterdir()] == ["state.db"]


@pytest.mark.parametrize(
    "content", [b"hello\n", b"SQLite format 3\n" + b"x" * 500, b"\x00" * 4096, b"S"]
)
def test_other_files(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    assert "is not a SQLite database" in refusal(path)
    assert path.read_bytes() == content


def test_a_header_and_nothing_behind_it(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    path.write_bytes(b"SQLite format 3\x00" + b"\xff" * 2000)
    refusal(path)


def test_a_database_of_something_else(tmp_path: Path, execute: Callable[..., Any]) -> None:
    path = tmp_path / "music.db"
    execute(path, "create table albums(id, title)")
    before = path.read_bytes()
    assert "is not a Hermes history" in refusal(path)
    assert path.read_bytes() == before


def test_an_empty_database(tmp_path: Path, execute: Callable[..., Any]) -> None:
    path = tmp_path / "state.db"
    execute(path, "create table x(y); drop table x")
    assert "is not a Hermes history" in refusal(path)


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        (
            "create table sessions(id, source, started_at); create table messages(id, body);"
            "create table schema_version(version); insert into schema_version values(99)",
            r"newer layout .*schema 99, without content, role, session_id, timestamp",
        ),
        (
            "create table sessions(id); create table messages"
            "(id, session_id, role, content, timestamp);"
            "create table schema_version(version); insert into schema_version values('odd')",
            r"a layout .*schema 0, without source, started_at",
        ),
        ("create table sessions(id); create table messages(id)", r"schema unknown, without"),
    ],
)
def test_a_layout_without_what_is_needed(
    tmp_path: Path, execute: Callable[..., Any], schema: str, said: str
) -> None:
    path = tmp_path / "state.db"
    execute(path, schema)
    assert re.search(said, refusal(path))


def test_a_newer_layout_with_what_is_needed_opens(
    tmp_path: Path, execute: Callable[..., Any]
) -> None:
    path = tmp_path / "state.db"
    execute(
        path,
        ENOUGH + "create table schema_version(version); insert into schema_version values(99);"
        "alter table messages add column from_the_future text;"
        "insert into sessions values('s', 'cli', 1.0);"
        "insert into messages values(1, 's', 'user', 'hello', 1.0, 'x')",
    )
    with History.open(Place(str(path))) as history:
        assert history.layout.schema_version == 99
        assert history.messages([1])[0].text == "hello"
        assert not history.layout.base.present


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    os.mkfifo(path)
    assert "pipe" in refusal(path)


def test_links_that_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "gone.db").symlink_to(tmp_path / "none")
    assert "Cannot read" in refusal(tmp_path / "gone.db")
    (tmp_path / "loop.db").symlink_to(tmp_path / "loop.db")
    assert "Cannot read" in refusal(tmp_path / "loop.db")


@pytest.mark.parametrize("name", ["x" * 5000, "a\x00b", "~nobody-has-this-name/state.db"])
def test_names_no_file_can_have(name: str) -> None:
    with pytest.raises(HistoryError, match=r"There is no file"):
        locate(name, environ={})


def test_a_hostile_name_is_cleaned(tmp_path: Path) -> None:
    path = tmp_path / "\x1b]52;c;ZXZpbA==\x07\u202estate.db"
    with pytest.raises(HistoryError) as caught:
        locate(str(path), environ={})
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202e]", str(caught.value))
    path.write_bytes(b"no database")
    assert "\u202e" not in refusal(path)


def test_with_only_the_rows_in_the_wal(tmp_path: Path, execute: Callable[..., Any]) -> None:
    """A first session whose file is still empty while its WAL holds everything."""
    path = tmp_path / "state.db"
    execute(path, ENOUGH)
    path.write_bytes(b"")
    (tmp_path / "state.db-wal").write_bytes(b"not a log")
    assert refusal(path)
