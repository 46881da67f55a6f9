"""Our session_search against Hermes' recorded answers, record by record.

Each comparison prints "N of N equal"; what may differ is listed here with its reason.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.history import tokenizer
from hermes_tui.history.locate import Place
from hermes_tui.history.reader import History
from hermes_tui.recall.matching import Request, match_messages, sanitised_by, slow_log_path
from hermes_tui.recall.policy import HERMES, HERMES_0_19, HERMES_0_21, Policy
from hermes_tui.recall.shapes import Tool

from golden import Record, comparable, differences, records, summarised

pytestmark = [pytest.mark.shared, pytest.mark.figures]

# Hermes fails on these arguments because of where its recording ran; we answer with our own
# sentence (a pasted link is taken apart, a profile that is not there is named as such).
OWN_SENTENCE = {
    '{"session_id": "default/20260101_090000_aaaa01"}': "no default profile beside the file",
    '{"session_id": "@session:default/20260101_090000_aaaa01"}': "Hermes fails on pasted links",
}
# Hermes cannot read older files read-only (fact 82); we must, so its answers are no model.
UNREADABLE_TO_HERMES = {("state-0.13.0.db", True), ("state-0.19.0.db", True)}

Open = Callable[..., History]


@pytest.fixture
def open_db(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, copy_db: Callable[[str], Path]
) -> Iterator[Open]:
    """Opens recorded databases with the CJK tokenizer of a kind, or without one.

    The one in C is built from this checkout, whatever the installed package has.
    """
    opened: dict[tuple[str, tokenizer.Kind | None], History] = {}

    def register(kind: tokenizer.Kind) -> Callable[[Any], str | None]:
        environ = {}
        if kind == "c":
            environ[tokenizer.LIBRARY_VARIABLE] = str(request.getfixturevalue("library"))
            monkeypatch.setattr(tokenizer, "built_library", lambda: None)
        return partial(tokenizer.register, prefer=kind, environ=environ)

    def open_one(name: str, *, cjk: tokenizer.Kind | None = None) -> History:
        if (name, cjk) not in opened:
            place = Place(str(copy_db(name)), "")
            history = History.open(place, register=register(cjk) if cjk else None)
            assert history.tokenizer == cjk
            opened[name, cjk] = history
        return opened[name, cjk]

    yield open_one
    for history in opened.values():
        history.close()


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "no-home"))
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def policy_of(record: Record) -> Policy | None:
    if record["engine"].startswith("2026-08"):
        return HERMES
    if record["engine"] == "0.19.0" and not record["read_only"]:
        return HERMES_0_19
    return None


def report(name: str, equal: int, total: int, different: list[str]) -> None:
    print(f"\n{name}: {equal} of {total} equal")
    assert total > 0
    assert not different, "\n".join(different[:20])
    assert equal == total


@pytest.mark.parametrize(
    ("index", "cjk"),
    [("base+trigram", None), ("base+trigram+cjk", "c"), ("base+trigram+cjk", "python")],
)
def test_the_big_history(
    shared: Path,
    open_db: Open,
    monkeypatch: pytest.MonkeyPatch,
    index: str,
    cjk: tokenizer.Kind | None,
) -> None:
    if not cjk:
        monkeypatch.setenv("HERMES_CJK_FTS", "0")
    tool = Tool(open_db("history-3k.db", cjk=cjk))
    equal = total = 0
    different = []
    for record in records(shared / "hermes/golden/history-3k.jsonl.gz"):
        if record["index"] != index:
            continue
        total += 1
        found = differences(summarised(tool(record["args"])), comparable(record["result"]))
        equal += not found
        different += [f"{json.dumps(record['args'], ensure_ascii=False)} {d}" for d in found]
    report(f"history-3k, {index}, tokenizer {cjk}", equal, total, different)


def test_tool_calls_on_every_layout(shared: Path, open_db: Open) -> None:
    equal = total = left_out = 0
    different = []
    for record in records(shared / "hermes/golden/session_search.jsonl.gz"):
        policy = policy_of(record)
        if policy is None or (record["db"], record["read_only"]) in UNREADABLE_TO_HERMES:
            continue
        arguments = json.dumps(record["args"], ensure_ascii=False)
        if arguments in OWN_SENTENCE:
            left_out += 1
            print(f"left out: {record['db']} {arguments}: {OWN_SENTENCE[arguments]}")
            continue
        total += 1
        answer = Tool(open_db(record["db"]), policy)(record["args"])
        found = differences(comparable(answer), comparable(record["result"]))
        equal += not found
        different += [f"{record['db']} {arguments} {d}" for d in found]
    assert left_out == 10
    report("session_search", equal, total, different)


@pytest.mark.parametrize(
    ("engine", "cjk"),
    [("2026-08", None), ("2026-08+cjk", "c"), ("2026-08+cjk", "python"), ("0.19.0", None)],
)
def test_message_search_on_every_layout(
    shared: Path, open_db: Open, engine: str, cjk: tokenizer.Kind | None
) -> None:
    equal = total = 0
    different = []
    for record in records(shared / "hermes/golden/search_messages.jsonl.gz"):
        policy = policy_of(record)
        if policy is None or record["engine"] != engine:
            continue
        if (record["db"], record["read_only"]) in UNREADABLE_TO_HERMES:
            continue
        if record["read_only"] and cjk:
            continue  # Hermes leaves the CJK index unused on read-only opens; we use it (fact 13)
        total += 1
        history = open_db(record["db"], cjk=cjk)
        request = request_of(record)
        matches = match_messages(history, request, policy)
        ids = [candidate.message_id for candidate in matches.rows]
        snippets = matches.snippets(history, ids)
        ours = comparable({"rows": [{"id": i, "snippet": snippets.get(i)} for i in ids]})
        theirs = comparable(
            {"rows": [{"id": r["id"], "snippet": r["snippet"]} for r in record["rows"]]}
        )
        if policy is HERMES:
            ours["path"] = slow_log_path(history, request, policy)
            theirs["path"] = record["path"]
        found = differences(ours, theirs)
        equal += not found
        different += [f"{record['db']} {record['query']!r} {d}" for d in found]
    report(f"search_messages, {engine}, tokenizer {cjk}", equal, total, different)


def request_of(record: Record) -> Request:
    def names(key: str) -> tuple[str, ...] | None:
        return tuple(record[key]) if record.get(key) is not None else None

    return Request(
        record["query"],
        roles=names("role_filter"),
        sources=names("source_filter"),
        exclude_sources=names("exclude_sources"),
        sort=record.get("sort"),
        limit=record.get("limit", 20),
        offset=record.get("offset", 0),
        include_rewound=record.get("include_inactive", False),
    )


@pytest.mark.parametrize(
    ("column", "policy"), [("2026-08", HERMES), ("0.19.0", HERMES_0_19), ("newest", HERMES_0_21)]
)
def test_the_sanitiser(shared: Path, column: str, policy: Policy) -> None:
    rows = list(records(shared / "hermes/golden/sanitizer.jsonl"))
    different = [
        f"{row['input']!r}: ours {sanitised_by(policy, row['input'])!r}, theirs {row[column]!r}"
        for row in rows
        if sanitised_by(policy, row["input"]) != row[column]
    ]
    report(f"sanitiser of {column}", len(rows) - len(different), len(rows), different)
