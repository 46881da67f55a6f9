"""Explanations of every query that Hermes' answers were recorded for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from hermes_tui.cli import main
from hermes_tui.history.reader import History
from hermes_tui.recall.asking import agent_ask, arguments_of
from hermes_tui.recall.discovery import Ask, discover
from hermes_tui.recall.explain.counting import Counter
from hermes_tui.recall.explain.eye import agents_eye
from hermes_tui.recall.explain.funnel import funnel_lines
from hermes_tui.recall.explain.units import asked_by, rows_of, without
from hermes_tui.recall.explain.why import why
from hermes_tui.recall.policy import HERMES, HERMES_0_19, HERMES_0_21, Policy
from hermes_tui.recall.shapes import Tool

from golden import Record, records

pytestmark = [pytest.mark.shared, pytest.mark.figures]
BIG = "hermes/golden/history-3k.jsonl.gz"


def calls(shared: Path) -> Iterator[Record]:
    """The recorded discovery calls, each once."""
    seen = set()
    for record in records(shared / BIG):
        arguments = record["args"]
        key = json.dumps(arguments, sort_keys=True)
        if arguments.get("query") and key not in seen:
            seen.add(key)
            yield arguments


def ask_of(arguments: Record) -> Ask:
    return agent_ask(
        arguments["query"],
        limit=int(arguments.get("limit", 3)),
        sort=arguments.get("sort"),
        roles=tuple(r.strip() for r in (arguments.get("role_filter") or "").split(",") if r),
        current_session=arguments.get("current_session_id"),
    )


@pytest.mark.parametrize("policy", [HERMES, HERMES_0_19, HERMES_0_21], ids=lambda p: p.name)
def test_every_funnel_adds_up_to_the_answer(shared: Path, big: History, policy: Policy) -> None:
    tool = Tool(big, policy)
    total = 0
    for arguments in calls(shared):
        lines = funnel_lines(discover(big, ask_of(arguments), policy))
        assert [line.rule for line in lines[:1]] == ["matched"]
        for before, line in pairwise(lines):
            assert line.left == before.left - line.removed, (arguments, lines)
            assert line.left >= 0
        assert lines[-1].rule == "limit"
        assert lines[-1].left == len(tool(arguments)["results"]), arguments
        total += 1
    print(f"\n{total} funnels add up ({policy.name})")
    assert total > 700


def test_what_is_explained_is_what_is_given(shared: Path, big: History) -> None:
    tool = Tool(big)
    for arguments in list(calls(shared))[::5]:
        explanation = why(big, arguments["query"], ask_of(arguments))
        results = tool(arguments)["results"]
        given = [(g.session_id, g.message_id, g.role) for g in explanation.given]
        assert given == [
            (r["session_id"], r["match_message_id"], r["matched_role"]) for r in results
        ]
        assert explanation.funnel[-1].left == len(given)


def test_units_joined_are_the_rows_that_are_matched(shared: Path, big: History) -> None:
    """What is counted for each word belongs to the very expression that the index was asked."""
    checked = 0
    for arguments in calls(shared):
        reading = discover(big, ask_of(arguments), HERMES)
        for run in reading.matches.tried:
            if run.error:
                continue
            asked = asked_by(run.plan, reading.matches.sanitised)
            assert asked.node is not None, (arguments, run.plan)
            if run.plan.route == "like_scan":
                continue
            sets = [rows_alone(big, asked.plan.table, u.match, u.idle) for u in asked.units]
            found = {c.message_id for c in run.all}
            assert rows_of(asked.node, sets) == found, (arguments, run.plan)
            checked += 1
    print(f"\n{checked} expressions are what their words say")
    assert checked > 600


def rows_alone(history: History, table: str, match: str, idle: bool) -> set[int]:
    if idle:
        return set()
    return {r[0] for r in history.rows(f"select rowid from {table} where {table} match ?", [match])}


def test_counts_are_those_of_the_rows(shared: Path, big: History) -> None:
    queries = {a["query"]: ask_of(a) for a in calls(shared)}
    for ask in list(queries.values())[::7]:
        reading = discover(big, ask, HERMES)
        for run in reading.matches.tried[:1]:
            asked = asked_by(run.plan, reading.matches.sanitised)
            if run.error or asked.node is None:
                continue
            counter = Counter(big, asked)
            whole = counter.of_node(asked.node)
            roots = {big.families().root(c.session_id) for c in run.all}
            assert whole is not None
            assert whole.rows == len(run.all)
            assert whole.lineages == len(roots) or (whole.at_least and whole.lineages <= len(roots))
            for place, unit in enumerate(counter.unit_counts()):
                rest = without(asked.node, place)
                expected = counter.of_node(rest) if rest is not None else None
                assert unit.without == expected


def test_the_agents_eye_is_session_search(
    shared: Path, copy_db: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    from hermes_tui.history.locate import Place
    from hermes_tui.history.tokenizer import register

    path = copy_db("history-3k")
    chosen = [*list(calls(shared))[::11], {}, {"session_id": "nobody"}]
    with History.open(Place(str(path), ""), register=register) as history:
        for arguments in chosen:
            eye = agents_eye(history, arguments)
            main(["session-search", "--db", str(path), json.dumps(arguments)])
            printed = capsys.readouterr().out
            assert eye.text + "\n" == printed, arguments
            assert eye.chars == len(eye.text)
            for shown, result in zip(eye.results, eye.answer.get("results", ()), strict=False):
                assert shown.session_id == result["session_id"]
                rows = [
                    m for key in ("bookend_start", "messages", "bookend_end") for m in result[key]
                ]
                assert [p.message_id for p in shown.parts] == [m["id"] for m in rows]
                for part, row in zip(shown.parts, rows, strict=True):
                    assert part.cut == bool(row.get("content_truncated"))
                    assert part.anchor == bool(row.get("anchor"))
    print(f"\n{len(chosen)} answers are byte for byte what session-search prints")
    assert len(chosen) > 60


def test_arguments_come_back_as_they_were(shared: Path) -> None:
    for arguments in calls(shared):
        given = arguments_of(ask_of(arguments))
        assert given["query"] == arguments["query"]
        assert given["limit"] == arguments.get("limit", 3)
        assert given.get("sort") == arguments.get("sort")
        assert given.get("current_session_id") == arguments.get("current_session_id")
