"""Every recorded database, whatever version of Hermes wrote it: open, browse, find, read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

DATABASES = Path(__file__).parents[3] / "shared" / "hermes" / "dbs"
NAMES = sorted(path.stem for path in DATABASES.glob("*.db"))


def test_they_are_there(shared: Path) -> None:
    assert (shared / "hermes" / "dbs") == DATABASES
    assert len(NAMES) == 20


@pytest.mark.parametrize("name", NAMES)
def test_it_opens_browses_finds_and_shows(
    run: Callable[..., Any], copy_db: Callable[[str], Path], name: str
) -> None:
    db = copy_db(name)
    before = db.read_bytes(), db.stat().st_mtime_ns

    rows = run("browse", "--json", "--db", db).json
    assert rows
    assert rows[0]["session_id"] in run("browse", "--db", db).out

    found = run("search", "--json", "--db", db, "docker").json
    assert found["lineages"], found
    best = found["lineages"][0]
    assert best["agent_rank"] == 1
    assert "docker" in best["snippet"].lower()
    assert ">docker<" in run("search", "--db", db, "docker").out.lower()

    session, message = best["session_id"], best["match_message_id"]
    shown = run("scroll", "--json", "--db", db, session, message).json
    assert [m["id"] for m in shown["messages"] if m["anchor"]] == [message]
    assert "docker" in run("scroll", "--db", db, session, message).out.lower()
    assert message in [m["id"] for m in run("read", "--json", "--db", db, session).json["messages"]]
    assert "docker" in run("read", "--db", db, session).out.lower()

    calls = [{"query": "docker"}, {}, {"session_id": session}]
    calls += [{"session_id": session, "around_message_id": message}]
    lines = "\n".join(json.dumps(call) for call in calls)
    answers = run("session-search", "--db", db, "-", stdin=lines).answers
    assert [answer["mode"] for answer in answers] == ["discover", "browse", "read", "scroll"]
    assert answers[0]["count"] > 0
    assert answers[3]["messages"]

    assert (db.read_bytes(), db.stat().st_mtime_ns) == before
