"""Bad input: one sentence, exit code 2, and nothing created or changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.cli import COMMANDS

# A run of each command that would work on a history.
RUNS: dict[str, tuple[str, ...]] = {
    "search": ("search", "docker"),
    "search --json": ("search", "--json", "docker"),
    "browse": ("browse",),
    "browse --json": ("browse", "--json"),
    "read": ("read", "20260101_090000_aaaa01"),
    "read --json": ("read", "--json", "20260101_090000_aaaa01"),
    "scroll": ("scroll", "20260101_090000_aaaa01", "3"),
    "scroll --json": ("scroll", "--json", "20260101_090000_aaaa01", "3"),
    "session-search": ("session-search", "{}"),
    "session-search -": ("session-search", "-"),
    "explain": ("explain", "docker"),
    "explain --missing": ("explain", "--json", "docker", "--missing", "3"),
    "compare": ("compare", "docker"),
    "compare --json": ("compare", "--json", "docker"),
    "judge": ("judge", "docker", "20260101_090000_aaaa01", "2"),
    "eval": ("eval",),
    "eval --json": ("eval", "--json"),
    "doctor": ("doctor",),
    "doctor --json": ("doctor", "--json", "--integrity"),
    "the application": ("some", "query"),
}
A = "20260101_090000_aaaa01"


def contents(folder: Path) -> dict[str, bytes | None]:
    return {
        str(p.relative_to(folder)): p.read_bytes() if p.is_file() else None
        for p in sorted(folder.rglob("*"))
    }


def test_every_command_has_a_run() -> None:
    writing = {"optimize-storage", "tokenizer"}  # their bad input is tested in test_index.py
    assert set(COMMANDS) - writing | {"some"} == {arguments[0] for arguments in RUNS.values()}


@pytest.fixture(params=RUNS)
def arguments(request: pytest.FixtureRequest) -> tuple[str, ...]:
    return RUNS[request.param]


def test_no_history_at_all(
    fails: Callable[..., str], home: Path, arguments: tuple[str, ...]
) -> None:
    sentence = fails(*arguments)
    assert str(home / ".hermes" / "state.db") in sentence
    assert "--db FILE" in sentence
    assert "--demo" in sentence
    assert contents(home) == {}


BAD_FILES: dict[str, Callable[[Path], object]] = {
    "missing": lambda path: None,
    "a folder": lambda path: (path / "state.db").mkdir(parents=True),
    "zero bytes": lambda path: path.touch(),
    "text": lambda path: path.write_text("a diary"),
    "nonsense": lambda path: path.write_bytes(b"SQLite format 3\x00" + b"\xff" * 5000),
}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_what_is_no_history(
    fails: Callable[..., str], tmp_path: Path, arguments: tuple[str, ...], kind: str
) -> None:
    place = tmp_path / "place"
    place.mkdir()
    BAD_FILES[kind](place / "my.db")
    before = contents(place)
    assert str(place / "my.db") in fails(arguments[0], "--db", place / "my.db", *arguments[1:])
    assert contents(place) == before


def test_a_database_of_something_else(
    fails: Callable[..., str],
    execute: Callable[..., Any],
    tmp_path: Path,
    arguments: tuple[str, ...],
) -> None:
    path = tmp_path / "music.db"
    execute(path, "create table albums(id, title)")
    before = path.read_bytes()
    assert "not a Hermes history" in fails(arguments[0], "--db", path, *arguments[1:])
    assert path.read_bytes() == before


def test_a_newer_layout(
    fails: Callable[..., str],
    execute: Callable[..., Any],
    tmp_path: Path,
    arguments: tuple[str, ...],
) -> None:
    path = tmp_path / "state.db"
    execute(
        path,
        "create table sessions(id, source, started_at); create table messages(id, body);"
        "create table schema_version(version); insert into schema_version values(77)",
    )
    assert "newer layout" in fails(arguments[0], "--db", path, *arguments[1:])


@pytest.mark.parametrize("profile", ["nobody", "Not One", "root", "", "\x1b[31m", "../.."])
def test_a_profile_that_is_not_there(
    fails: Callable[..., str], home: Path, arguments: tuple[str, ...], profile: str
) -> None:
    sentence = fails(arguments[0], "--profile", profile, *arguments[1:])
    assert "rofile" in sentence
    assert contents(home) == {}


def test_two_places_at_once(fails: Callable[..., str], arguments: tuple[str, ...]) -> None:
    for one, two in (("--db=x", "--demo"), ("--profile=x", "--demo"), ("--db=x", "--profile=y")):
        assert "only one of" in fails(arguments[0], one, two, *arguments[1:])


@pytest.fixture
def db(copy_db: Callable[[str], Path]) -> Path:
    return copy_db("state-2026-08")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("search",), "required: QUERY"),
        (("search", ""), "The query is empty"),
        (("search", " ", "\t"), "The query is empty"),
        (("search", "--limit", "0", "x"), "no number from 1 on"),
        (("search", "--limit", "ten", "x"), "no number from 1 on"),
        (("search", "--limit", "9" * 5000, "x"), "no number from 1 on"),
        (("search", "--limit"), "expected one argument"),
        (("search", "--sort", "best", "x"), "invalid choice"),
        (("search", "--policy", "none", "x"), "invalid choice"),
        (("search", "--no-such-option", "x"), "unrecognized arguments"),
        (("search", "--current-session", "nobody", "x"), "There is no session 'nobody'"),
        (("search", "--sort", "\x1b[31m\u202e", "x"), "invalid choice"),
        (("browse", "extra"), "unrecognized arguments"),
        (("browse", "--limit", "-1"), "no number from 1 on"),
        (("read",), "required: SESSION"),
        (("read", ""), "SESSION is empty"),
        (("read", "@session:"), "SESSION is empty"),
        (("read", "2026"), "is part of 15 session ids"),
        (("read", "nobody"), "There is no session 'nobody'"),
        (("read", "20260101_090000_aaaa99"), f"Near ids: {A}"),
        (("read", "\x1b]0;x\x07\ud800"), "There is no session"),
        (("scroll", A), "required: MESSAGE"),
        (("scroll", A, "x"), "invalid int value"),
        (("scroll", A, "9999"), "Near ids: 5, 6"),
        (("scroll", A, "7"), "Near ids: 5, 6"),
        (("scroll", A, "-3"), "Near ids: 1, 2"),
        (("scroll", A, "9" * 30), "is not in session"),
        (("scroll", A, "3", "--window", "0"), "no number from 1 on"),
        (("session-search",), "required: JSON"),
        (("session-search", ""), "are no JSON"),
        (("session-search", "{"), "are no JSON"),
        (("session-search", "[1]"), "must be a JSON object"),
        (("session-search", "\x1b"), "are no JSON"),
        (("session-search", "[" * 100_000), "are no JSON"),
        (("session-search", "[" * 900 + "]" * 900), "are no JSON"),
    ],
)
def test_bad_arguments(
    run: Callable[..., Any], db: Path, arguments: tuple[str, ...], said: str
) -> None:
    before = db.read_bytes()
    ran = run(arguments[0], "--db", db, *arguments[1:])
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err, ran.err
    assert ran.err.count("\n") == 1, ran.err
    assert db.read_bytes() == before


def test_the_application_needs_a_terminal(fails: Callable[..., str], db: Path) -> None:
    sentence = fails("--db", db, "docker")
    assert "needs a terminal" in sentence
    assert "hermes-tui search" in sentence


def test_an_unknown_word_is_a_query_for_the_application(
    fails: Callable[..., str], db: Path
) -> None:
    assert "needs a terminal" in fails("--db", db, "serach", "docker")
    assert "needs a terminal" in fails("--db", db, "--", "search")


def test_links_into_a_profile_that_is_not_there(fails: Callable[..., str], home: Path) -> None:
    assert "Profile 'work' does not exist" in fails("read", f"@session:work/{A}")
    assert "not a profile name" in fails("read", f"@session:No Name/{A}")
    assert contents(home) == {}


def test_a_history_without_sessions(
    run: Callable[..., Any], execute: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "state.db"
    execute(
        path,
        "create table sessions(id text primary key, source text, started_at real);"
        "create table messages(id integer primary key, session_id text, role text, content text, "
        "timestamp real)",
    )
    assert run("browse", "--db", path).out == "This history has no sessions yet.\n"
    assert run("browse", "--json", "--db", path).json == []
    assert run("search", "--json", "--db", path, "docker").json["lineages"] == []
    answer = run("session-search", "--db", path, json.dumps({"query": "docker"})).json
    assert answer["count"] == 0


def test_a_history_whose_sessions_are_all_put_away(
    run: Callable[..., Any], execute: Callable[..., Any], db: Path
) -> None:
    execute(db, "update sessions set archived = 1")
    assert "None of the 15 sessions is listed" in run("browse", "--db", db).out


def test_a_session_without_messages(
    run: Callable[..., Any], execute: Callable[..., Any], db: Path
) -> None:
    execute(db, "insert into sessions(id, source, started_at) values('empty', 'cli', 1.0)")
    assert "This session has no messages." in run("read", "--db", db, "empty").out
    ran = run("scroll", "--db", db, "empty", 3)
    assert "Message 3 is not in session empty." in ran.err
