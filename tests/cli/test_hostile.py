"""A history made to hurt: no byte of it acts on the terminal, in any command and form.

The `run` fixture looks at everything printed; these tests give it something to find.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession

EVIL = (
    "\x1b[31mred\x1b]52;c;ZXZpbA==\x07clip\x1b]0;title\x1b\\ \x9b1mC1 \x90q\x9c \x9d8;;x\x9c "
    "\u202ebidi\u2066 \u200e\u061c \ufeff \x00nul \x08\x08 \r [/bold][link=x]markup[/] "
    "\u2028\u2029\x85 \x7f docker"
)
RAW = EVIL.encode() + b" \xff\xfe \xed\xa0\x80 \xf0\x9f"
DEEP = b"\x00json:" + b'[{"a":' * 490 + b"1" + b"}]" * 490
ID = "s\x1b[2J\u202e\x9b\x00\n1"


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Session 1 (an id that acts), its child, and sessions 3 and 4; message 1 holds everything."""
    import apsw

    path = tmp_path_factory.mktemp("hostile") / "state.db"
    with HistoryWriter(path, cjk=False) as writer:
        writer.create_session(NewSession(id=ID, source="cli", started_at=1.0))
        writer.create_session(NewSession(id="s2", source="cli", started_at=2.0, parent_id=ID))
        writer.create_session(NewSession(id="s3", source="cli", started_at=3.0))
        writer.create_session(NewSession(id="s4", source="cli", started_at=4.0))
        for session in (ID, "s2", "s3", "s4"):
            for number in range(4):
                message = NewMessage(role="user", content=f"docker {number} of {session}")
                writer.append(session, message, 5.0)
    connection = apsw.Connection(str(path))
    evil_calls = json.dumps(
        [
            {"id": EVIL, "function": {"name": EVIL, "arguments": json.dumps({EVIL: EVIL})}},
            {"function": {"name": "x", "arguments": EVIL}},
            EVIL,
        ]
    )
    parts = [{"type": EVIL}, {"type": "text", "text": EVIL}, {"image_url": EVIL}]
    for sql, *values in (
        ("update sessions set source = cast(?1 as text), model = cast(?1 as text), "
         "cwd = cast(?1 as text), end_reason = cast(?1 as text) where id <> 's4'", RAW),
        ("update sessions set title = cast(? as text) where id = 's3'", RAW),
        ("update sessions set title = cast(? as text) where id = 's2'", b"docker \xff\x1b[2J"),
        ("update sessions set started_at = 9e999, ended_at = 'never' where id = 's4'",),
        ("update messages set content = cast(? as text), tool_name = cast(?1 as text), "
         "tool_call_id = cast(?1 as text), reasoning = cast(?1 as text) where id % 4 = 1", RAW),
        ("update messages set tool_calls = ? where id % 4 = 1", evil_calls),
        ("update messages set content = ? where id % 4 = 2", "\x00json:" + json.dumps(parts)),
        ("update messages set role = cast(? as text), timestamp = 9e999 where id % 4 = 3", RAW),
        ("update messages set content = cast(? as text), timestamp = -9e999 where id = 16", DEEP),
        ("update messages set tool_calls = cast(? as text) where id = 16", DEEP[6:]),
    ):  # fmt: skip
        connection.execute(sql, values).fetchall()
    connection.close()
    return path


SESSIONS = (ID, "s2", "s3", "s4")
QUERIES = ("docker", "red", "markup", "bidi", EVIL[:60], '"docker', "clip*", "docker OR nul")


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_views(run: Callable[..., Any], db: Path, form: tuple[str, ...]) -> None:
    shown = [run("browse", "--db", db, *form)]
    for session in SESSIONS:
        shown.append(run("read", "--db", db, "--rewound", *form, session))
        for message in range(1, 17):
            run("scroll", "--db", db, *form, session, message)
    for ran in shown:
        assert ran.code == 0
        assert "docker" in ran.out
        if form:
            assert ran.json


@pytest.mark.parametrize("policy", ["hermes", "hermes-0.19", "thorough"])
@pytest.mark.parametrize("query", QUERIES)
def test_searches(run: Callable[..., Any], db: Path, query: str, policy: str) -> None:
    for roles in ((), ("--role", "user,assistant,tool," + EVIL[:40])):
        arguments = ("--db", db, "--policy", policy, *roles, "--", query)
        ran = run("search", *arguments)
        assert ran.code in (0, 2)
        as_json = run("search", "--json", *arguments)
        assert as_json.code == ran.code
        if ran.code == 0:
            assert as_json.json["query"] == query


def test_something_is_found(run: Callable[..., Any], db: Path) -> None:
    found = run("search", "--json", "--db", db, "--limit", 9, "docker").json["lineages"]
    assert {row["session_id"] for row in found} >= {"s3", "s4"}
    assert any(row["source"].startswith("\x1b[31m") for row in found), "JSON keeps what is stored"


@pytest.mark.parametrize("query", QUERIES)
def test_explanations(run: Callable[..., Any], db: Path, query: str) -> None:
    """JSON as well: the agent's clean-up and SQLite's own words are in it."""
    for form in ((), ("--json",)):
        columns = "agent,thorough,fts5,trigram,like_scan"
        for arguments in (
            ("explain", "--current-session", "s3"),
            ("explain", "--report", "--with-content", "--with-paths"),
            *(("explain", "--missing", session) for session in (*SESSIONS, "1", "2", "3", "16")),
            ("compare", "--columns", columns),
        ):
            assert run(*arguments, "--db", db, *form, "--", query).code == 0


CALLS: list[dict[str, Any]] = [
    {},
    {"query": "docker"},
    {"query": "docker", "role_filter": "user,assistant,tool"},
    {"query": EVIL},
    {"query": RAW.decode("utf-8", "replace")},
    {"query": "docker \ufffd"},
    *({"session_id": session} for session in SESSIONS),
    *({"session_id": ID, "around_message_id": number} for number in range(1, 10)),
    {"session_id": "s4", "around_message_id": 16},
    {"session_id": EVIL},
    {"session_id": f"{EVIL}/x"},
    {"session_id": "x", "profile": EVIL},
    {"session_id": EVIL, "around_message_id": 1},
    {"session_id": EVIL, "around_message_id": EVIL},
    {"query": "docker", "current_session_id": EVIL, "limit": EVIL, "sort": EVIL},
    {"query": "docker", EVIL: EVIL},
]


@pytest.mark.parametrize("policy", ["hermes", "hermes-0.19"])
def test_the_tool(run: Callable[..., Any], db: Path, policy: str) -> None:
    lines = "\n".join(json.dumps(call) for call in CALLS)
    ran = run("session-search", "--db", db, "--policy", policy, "-", stdin=lines)
    assert len(ran.answers) == len(CALLS)
    assert ran.code == 1
    whole = json.dumps(ran.answers, ensure_ascii=False)
    assert "\\u001b]52;c;ZXZpbA==" in whole, "what is stored is in the answer, escaped"


def test_hostile_arguments_in_errors(run: Callable[..., Any], db: Path) -> None:
    for arguments in (
        ("read", "--db", db, EVIL),
        ("scroll", "--db", db, ID, "99"),
        ("scroll", "--db", db, ID, EVIL),
        ("search", "--db", EVIL, "x"),
        ("search", "--db", str(db) + EVIL, "x"),
        ("search", "--profile", EVIL, "x"),
        ("search", "--db", db, "--sort", EVIL, "x"),
        ("search", "--db", db, "--current-session", EVIL, "x"),
        ("search", "--db", db, "--\x1b]52;c;x\x07\u202e", "x"),
        ("session-search", "--db", db, EVIL),
        (EVIL, "--\x9b31m"),
    ):
        assert run(*arguments).code == 2
