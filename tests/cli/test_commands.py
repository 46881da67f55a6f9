"""Every command in its plain and its JSON form, on a recorded history."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tui import __version__
from hermes_tui.cli import COMMANDS

A = "20260101_090000_aaaa01"


@pytest.fixture
def db(copy_db: Callable[[str], Path]) -> Path:
    return copy_db("state-2026-08")


@pytest.fixture
def hermes(run: Callable[..., Any], db: Path) -> Callable[..., Any]:
    """The program on that history, ending well."""

    def hermes(command: str, *arguments: object, code: int = 0, **stdin: Any) -> Any:
        ran = run(command, "--db", db, *arguments, **stdin)
        assert (ran.code, ran.err) == (code, "")
        return ran

    return hermes


def test_search(hermes: Callable[..., Any]) -> None:
    lines = hermes("search", "--policy", "hermes", "docker").out.splitlines()
    assert lines[0].startswith("fts5 · 5 hits in 2 lineages · the agent sees 2 · ")
    assert lines[2] == "  1. Docker networking notes  ·  2026-01-01  ·  cli"
    assert lines[3] == "     How do I set up >docker< networking for the chat-send service?"
    assert lines[4] == f"     [3/8] · agent #1 · @session:{A} 1"
    assert "[2/2] · agent #2" in lines[8]


def test_search_as_json(hermes: Callable[..., Any]) -> None:
    answer = hermes("search", "--json", "docker", "networking").json
    assert answer["query"] == "docker networking"
    assert answer["policy"] == "thorough"
    assert answer["route"] == "fts5"
    assert answer["complete"] is True
    assert answer["elapsed_ms"] > 0
    first = answer["lineages"][0]
    assert first["rank"] == first["agent_rank"] == 1
    assert first["session_id"] == first["root"] == A
    assert first["match_message_id"] in first["hits"]
    assert first["matched"] == len(first["hits"])
    assert first["unseen"] is None
    assert first["link"] == f"@session:{A}"
    assert {"rule", "removed", "left"} == set(answer["funnel"][0])


def test_what_the_agent_does_not_see_is_there_with_its_reason(hermes: Callable[..., Any]) -> None:
    few = hermes("search", "--json", "--policy", "hermes", "docker").json
    found = hermes("search", "--json", "docker").json["lineages"]
    seen = [row for row in found if row["agent_rank"] is not None]
    assert [row["session_id"] for row in seen] == [r["session_id"] for r in few["lineages"]]
    unseen = [row for row in found if row["agent_rank"] is None]
    assert {row["unseen"]["reason"] for row in unseen} == {"hidden_source"}
    assert {row["source"] for row in unseen} == {"kanban", "tool"}
    assert "not seen: source hidden from the agent (kanban)" in hermes("search", "docker").out


def test_a_limit_says_what_it_cuts(hermes: Callable[..., Any]) -> None:
    ask = ("search", "--policy", "hermes", "--limit", 1, "docker")
    seen, cut = hermes(*ask, "--json").json["lineages"]
    assert (seen["agent_rank"], seen["unseen"]) == (1, None)
    assert cut["agent_rank"] is None
    assert cut["unseen"]["reason"] == "beyond_limit"
    assert "not seen: after the agent's limit" in hermes(*ask).out


@pytest.mark.parametrize("sort", ["newest", "oldest"])
def test_sort(hermes: Callable[..., Any], sort: str) -> None:
    found = hermes("search", "--json", "--sort", sort, "docker OR visible OR cat OR kiwi").json[
        "lineages"
    ]
    for is_seen in (True, False):  # the agent's answer first, then what it does not see
        part = [row for row in found if (row["agent_rank"] is not None) == is_seen]
        whens = [row["when"] for row in part if not row["session_id"].startswith("cron")]
        assert len(whens) > 1
        assert whens == sorted(whens, reverse=sort == "newest")


def test_roles(hermes: Callable[..., Any]) -> None:
    for roles, expected in (("tool", {"tool"}), ("assistant, user", {"user", "assistant"})):
        found = hermes("search", "--json", "--role", roles, "network").json["lineages"]
        assert found
        assert {row["role"] for row in found} <= expected
    ask = ("search", "--json", "--policy", "hermes", "--role", "tool", "docker")
    assert hermes(*ask).json["lineages"] == []


def test_the_current_session_is_left_out(hermes: Callable[..., Any]) -> None:
    found = hermes("search", "--json", "--current-session", A, "docker").json
    assert A not in {row["root"] for row in found["lineages"] if row["agent_rank"]}
    short = hermes("search", "--json", "--current-session", "aaaa01", "docker").json
    assert short["lineages"] == found["lineages"], "a unique part of the id is enough"


def test_an_empty_answer_has_its_reason(hermes: Callable[..., Any]) -> None:
    for query, code in (("zzzz", "no_match"), ("AND", "query_emptied"), ("@@", "query_unreadable")):
        answer = hermes("search", "--json", query).json
        assert answer["lineages"] == []
        assert code in [notice["code"] for notice in answer["notices"]]
        assert "\n! " in hermes("search", query).out


def test_filters_alone_list_sessions(hermes: Callable[..., Any]) -> None:
    plain = hermes("search", "source:cli").out
    found = hermes("search", "--json", "source:cli").json
    count = len(found["lineages"])
    assert count > 1
    told = rf"{count} lineages pass source:cli · session_search needs a word · \d+ ms\n"
    assert re.match(told, plain)
    assert "not seen" not in plain
    assert {(r["unseen"], r["agent_rank"], r["label"]) for r in found["lineages"]} == {
        (None, None, "")
    }
    assert any(row["snippet"] for row in found["lineages"])
    assert found["notices"] == []


def test_no_such_value_is_said(hermes: Callable[..., Any]) -> None:
    for query in ("source:xyz", "docker source:xyz"):
        assert "\n! No session has the source xyz. There " in hermes("search", query).out
    assert "\n! No message is after " in hermes("search", "after:1d").out
    assert "\n! No message has the role king. There are " in hermes("search", "role:king x").out


def test_a_query_that_looks_like_an_option(hermes: Callable[..., Any]) -> None:
    assert hermes("search", "--json", "--", "--json").json["query"] == "--json"
    assert hermes("search", "--json", "--", "-x", "-y").json["query"] == "-x -y"


def test_options_between_the_words_of_a_query(hermes: Callable[..., Any]) -> None:
    answer = hermes("search", "docker", "--json", "networking", "--limit", "1", "notes").json
    assert answer["query"] == "docker networking notes"


def test_browse(hermes: Callable[..., Any]) -> None:
    plain = hermes("browse").out
    rows = hermes("browse", "--json").json
    assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))
    for row in rows:
        assert row["session_id"] in plain
        assert (row["title"] or "(no title)") in plain
    assert len(hermes("browse", "--json", "--limit", "2").json) == 2


def test_read(hermes: Callable[..., Any]) -> None:
    plain = hermes("read", A).out
    assert plain.startswith("Docker networking notes\n")
    assert "[1] you  2026-01-01 09:00" in plain
    assert "[2] hermes" in plain
    assert "* terminal " in plain, "tool calls are named"
    answer = hermes("read", "--json", A).json
    assert answer["session_id"] == A
    assert [m["id"] for m in answer["messages"]] == [1, 2, 3, 4, 5, 6]
    assert answer["messages"][1]["tool_calls"][0]["name"] == "terminal"


@pytest.mark.parametrize("name", [A, "aaaa01", "AAAA01", f"@session:{A}", f"/{A}", f" {A} "])
def test_a_session_in_every_form(hermes: Callable[..., Any], name: str) -> None:
    assert hermes("read", "--json", name).json["session_id"] == A


def test_rewound_messages_are_shown_when_asked_for(hermes: Callable[..., Any]) -> None:
    few, many = (hermes("read", *o, "ffff01").out for o in ((), ("--rewound",)))
    assert "2 rewound messages are not shown; --rewound shows them." in few
    assert "(rewound)" in many
    assert "(rewound)" not in few
    states = [m["visibility"] for m in hermes("read", "--json", "eeee01").json["messages"]]
    assert states.count("archived") == 2


def test_multimodal_parts_are_named(hermes: Callable[..., Any]) -> None:
    assert "  [image_url]\n" in hermes("read", "iiii01").out
    parts = [m["attachments"] for m in hermes("read", "--json", "iiii01").json["messages"]]
    assert ["image_url"] in parts


def test_scroll(hermes: Callable[..., Any]) -> None:
    plain = hermes("scroll", A, 3, "--window", 1).out
    assert "[3] tool terminal" in plain
    assert plain.count("<- anchor") == 1
    answer = hermes("scroll", "--json", "--window", 1, A, 3).json
    assert [(m["id"], m["anchor"]) for m in answer["messages"]] == [
        (2, False),
        (3, True),
        (4, False),
    ]
    assert (answer["messages_before"], answer["messages_after"]) == (1, 1)
    assert len(hermes("scroll", "--json", "--window", 10**30, A, 3).json["messages"]) == 6


def test_session_search_infers_its_shape(hermes: Callable[..., Any]) -> None:
    for arguments, mode in (
        ({}, "browse"),
        ({"query": " "}, "browse"),
        ({"query": "docker", "limit": 1}, "discover"),
        ({"session_id": A, "query": "docker"}, "read"),
        ({"session_id": A, "around_message_id": "3", "query": "docker"}, "scroll"),
    ):
        answer = hermes("session-search", json.dumps(arguments)).json
        assert (answer["success"], answer["mode"]) == (True, mode)


def test_session_search_with_a_tool_error(hermes: Callable[..., Any]) -> None:
    answer = hermes("session-search", '{"session_id": "nobody"}', code=1).json
    assert answer == {"error": "session_id not found: nobody", "success": False}
    answer = hermes("session-search", '{"query": "x", "profile": "Not one"}', code=1).json
    assert answer["success"] is False


def test_an_empty_answer_is_no_error(hermes: Callable[..., Any]) -> None:
    answer = hermes("session-search", '{"query": "zzzz"}').json
    assert answer["message"] == "No matching sessions found."


def test_a_line_for_a_line_in_order(hermes: Callable[..., Any]) -> None:
    lines = [
        b'{"query": "docker", "limit": 1}',
        b"",
        b"{broken",
        b"[1]",
        b"\xff\xfe",
        b'{"session_id": "' + A.encode() + b'"}',
        b'{"query": ' + b"[" * 5000 + b"]" * 5000 + b"}",
        b'{"session_id": "' + A.encode() + b'", "around_message_id": ' + b"9" * 30 + b"}",
        b'{"session_id": "' + A.encode() + b'", "around_message_id": ' + b"9" * 5000 + b"}",
        b'{"query": "\\ud800", "limit": 1e400, "sort": [], "role_filter": {"a": [null]}}',
        b"{}",
    ]
    answers = hermes("session-search", "-", code=1, stdin=b"\n".join(lines)).answers
    modes = [a.get("mode", "error") for a in answers]
    assert modes == [
        *("discover", "error", "error", "error", "read"),
        *("error", "error", "error", "discover", "browse"),
    ]
    assert all(a["success"] == (a.get("mode") is not None) for a in answers)


def test_lines_without_an_error_end_with_0(hermes: Callable[..., Any]) -> None:
    assert hermes("session-search", "-", stdin="").answers == []
    assert len(hermes("session-search", "-", stdin='{}\n{"query": "zzzz"}').answers) == 2


def test_other_policies(hermes: Callable[..., Any]) -> None:
    old = hermes("session-search", "--policy", "hermes-0.19", '{"query": "docker"}').json
    new = hermes("session-search", '{"query": "docker"}').json
    assert "link" in new["results"][0]
    assert "link" not in old["results"][0]
    assert hermes("search", "--json", "--policy", "hermes-0.19", "docker").json["policy"]


def test_a_folder_that_holds_a_history(run: Callable[..., Any], db: Path) -> None:
    db.rename(db.with_name("state.db"))
    assert run("browse", "--db", db.parent).code == 0


def test_profiles(run: Callable[..., Any], home: Path, db: Path) -> None:
    for place in (home / ".hermes", home / ".hermes" / "profiles" / "work"):
        place.mkdir(parents=True)
        (place / "state.db").write_bytes(db.read_bytes())
    assert run("read", "--json", A).json["link"] == f"@session:default/{A}"
    for arguments in (("--profile", "WORK", A), (f"work/{A}",), (f"@session:work/{A}",)):
        assert run("read", "--json", *arguments).json["link"] == f"@session:work/{A}"
    answer = run("session-search", json.dumps({"query": "docker", "profile": "work"})).json
    assert answer["results"][0]["link"] == f"@session:work/{A}"


def test_help_and_version(run: Callable[..., Any]) -> None:
    ran = run("--version")
    assert (ran.code, ran.out) == (0, f"hermes-tui {__version__}\n")
    overview = run("--help").out
    for name, entry in COMMANDS.items():
        assert f"  {name}" in overview
        assert entry.summary in overview
        ran = run(name, "--help")
        assert ran.code == 0
        assert ran.out.startswith(f"usage: hermes-tui {name}")


def test_a_slow_search_is_logged(
    hermes: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("HERMES_SEARCH_SLOW_MS", "0")
    with caplog.at_level("INFO"):
        hermes("session-search", json.dumps({"query": "docker \x1b[31m"}))
    (record,) = caplog.records
    assert record.getMessage().startswith("slow session search: path=fts5 elapsed=")
    assert "\x1b" not in record.getMessage()


def test_a_continuation_names_what_it_goes_on_from(run: Callable[..., Any], copy_db: Any) -> None:
    path = copy_db("state-2026-08.db")
    shown = run("search", "--db", path, "继续工作").out
    assert "goes on from Migration plan, 2026-01-02" in shown
    (line,) = json.loads(run("search", "--db", path, "--json", "继续工作").out)["lineages"]
    assert (line["title"], line["root_title"]) == ("Migration plan #2", "Migration plan")
    assert line["root_when"] < line["when"]
