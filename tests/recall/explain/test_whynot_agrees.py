"""The verdict of why-not against what session-search returns once the named cause is gone.

For random (query, session) pairs the cause is taken away, by the query or the argument that the
verdict names, or else by changing rows in a copy; a session that had one cause is then returned,
one that had several has another cause. Every chain of causes ends with the session in the answer.
"""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import apsw
import pytest

from hermes_tui.history.locate import Place
from hermes_tui.history.reader import History
from hermes_tui.history.tokenizer import register
from hermes_tui.recall.asking import agent_ask, arguments_of
from hermes_tui.recall.discovery import Ask, discover
from hermes_tui.recall.explain.targets import Target
from hermes_tui.recall.explain.verdict import CAUSE_TEXT, Verdict
from hermes_tui.recall.explain.whynot import why_not
from hermes_tui.recall.policy import HERMES
from hermes_tui.recall.shapes import Tool

from golden import records

pytestmark = [pytest.mark.shared, pytest.mark.figures]
PAIRS = 500
MOST_CAUSES = 14
Execute = Callable[..., list[tuple[Any, ...]]]


@dataclass
class Bench:
    """A copy of the big history that is changed for one pair at a time."""

    original: Path
    path: Path
    changed: bool = True

    def history(self) -> History:
        return History.open(Place(str(self.path), ""), register=register)

    def restore(self) -> None:
        if self.changed:
            for end in ("-wal", "-shm"):
                Path(f"{self.path}{end}").unlink(missing_ok=True)
            shutil.copyfile(self.original, self.path)
            self.changed = False

    def change(self, sql: str, rows: list[tuple[Any, ...]]) -> None:
        connection = apsw.Connection(str(self.path))
        register(connection)
        connection.execute("pragma synchronous = off")  # no power cut is tested
        try:
            with connection:
                connection.executemany(sql, rows)
        finally:
            connection.close()
        self.changed = True


@pytest.fixture
def bench(copy_db: Callable[[str], Path], tmp_path: Path) -> Bench:
    original = copy_db("history-3k")
    with History.open(Place(str(original), ""), register=register) as history:
        assert history.layout.cjk.servable
    return Bench(original, tmp_path / "changed.db")


def given_at(history: History, ask: Ask, session_id: str) -> int | None:
    """The place of a session in what session-search returns, from 1."""
    results = Tool(history)(arguments_of(ask))["results"]
    places = [n for n, r in enumerate(results, start=1) if r["session_id"] == session_id]
    return places[0] if places else None


def rewind(bench: Bench, ids: list[int]) -> None:
    bench.change("update messages set active = 0, compacted = 0 where id = ?", [(i,) for i in ids])


def take_away(bench: Bench, verdict: Verdict, ask: Ask) -> Ask:
    """The same question without the cause: by query, by argument, or by another history."""
    if verdict.try_query is not None:
        return replace(ask, query=verdict.try_query)
    if verdict.try_arguments:
        arguments = {**arguments_of(ask), **verdict.try_arguments}
        return agent_ask(
            str(arguments["query"]),
            limit=int(str(arguments["limit"])),
            sort=arguments.get("sort"),  # type: ignore[arg-type]
            roles=tuple(str(arguments.get("role_filter") or "").split(","))
            if arguments.get("role_filter")
            else (),
            current_session=arguments.get("current_session_id"),  # type: ignore[arg-type]
        )
    with bench.history() as history:
        if not verdict.sanitised:
            return replace(ask, query=a_word_of(history, verdict.session_id))
        change_rows(bench, history, verdict, ask)
    return ask


def a_word_of(history: History, session_id: str) -> str:
    """Something to look for, where nothing is left of the query."""
    rows = history.messages(list(history.outline(session_id).ids))
    words = (w for m in rows if m.role == "user" for w in m.text.split())
    return next(word for word in words if len(word) > 3 or not word.isascii())


def change_rows(bench: Bench, history: History, verdict: Verdict, ask: Ask) -> None:
    reading = discover(history, ask, HERMES)
    own = history.outline(verdict.session_id)
    if verdict.cause == "hidden_source":
        bench.change("update sessions set source = 'cli' where id = ?", [(verdict.session_id,)])
    elif verdict.cause == "rewound":
        rows = [c for run in reading.matches.tried for c in run.all if c.visibility == "rewound"]
        ids = [(c.message_id,) for c in rows if c.session_id == verdict.session_id]
        bench.change("update messages set active = 1 where id = ?", ids)
    elif verdict.cause == "beyond_scan":
        ordered = [*reading.matches.rows, *reading.matches.beyond]
        place = next(i for i, c in enumerate(ordered) if c.session_id == verdict.session_id)
        rewind(bench, [c.message_id for c in ordered[:place]])
    elif verdict.cause in ("lost_in_lineage", "beyond_limit"):
        make_room(bench, history, reading, verdict)
    else:
        words = [place.unit.words for place in verdict.units if not place.unit.negative]
        spoken = [i for i, role in zip(own.ids, own.roles, strict=True) if role == "user"]
        text = " ".join(words) if verdict.units else ask.query
        bench.change("update messages set content = ? where id = ?", [(text, spoken[0])])


def make_room(bench: Bench, history: History, reading: Any, verdict: Verdict) -> None:
    """Take back whatever stands before the session: of its lineage, or of all others."""
    roots = history.families().root
    same = verdict.cause == "lost_in_lineage"
    ids = [
        c.message_id
        for c in [*reading.matches.rows, *reading.matches.beyond]
        if c.session_id != verdict.session_id and (not same or roots(c.session_id) == verdict.root)
    ]
    if reading.title is not None and reading.title.session_id != verdict.session_id:
        bench.change("update sessions set title = null where id = ?", [(reading.title.session_id,)])
    rewind(bench, ids)


def pairs(history: History, queries: list[str], chance: random.Random) -> list[tuple[Ask, str]]:
    """Half of the sessions hold something of the query, the others are any."""
    sessions = [row[0].decode() for row in history.rows("select cast(id as blob) from sessions")]
    counts = history.message_counts(sessions)
    sessions = [s for s in sessions if counts.get(s)]
    found = []
    while len(found) < PAIRS:
        query = chance.choice(queries)
        session = chance.choice(sessions)
        ask = agent_ask(
            query,
            limit=chance.choice((1, 3, 3, 5)),
            sort=chance.choice((None, None, None, "newest", "oldest")),
            current_session=chance.choice((None, None, session)),
        )
        reading = discover(history, replace(ask, roles=("user", "assistant", "tool")), HERMES)
        holders = {c.session_id for run in reading.matches.tried for c in run.all}
        if chance.random() < 0.75 and holders:
            session = chance.choice(sorted(holders))
        found.append((ask, session))
    return found


def test_the_cause_is_the_cause(shared: Path, bench: Bench) -> None:
    chance = random.Random(20260805)
    golden = records(shared / "hermes/golden/history-3k.jsonl.gz")
    queries = sorted({r["args"]["query"] for r in golden if r["args"].get("query")})
    bench.restore()
    with bench.history() as history:
        chosen = pairs(history, queries, chance)
    causes: Counter[str] = Counter()
    taken: Counter[str] = Counter()
    for ask, session in chosen:
        bench.restore()
        chain = follow(bench, ask, session)
        causes[chain[0]] += 1
        taken.update(chain[:-1])
    print(f"\n{len(chosen)} pairs; first cause: {dict(causes.most_common())}")
    print(f"causes taken away: {dict(taken.most_common())}")
    assert sum(causes.values()) == PAIRS
    assert set(causes) | set(taken) <= set(CAUSE_TEXT)


def follow(bench: Bench, ask: Ask, session: str) -> list[str]:
    """Take away one cause after the other until the session is given; the causes in order."""
    chain: list[str] = []
    before: tuple[Any, ...] = ()
    while True:
        with bench.history() as history:
            found = history.session(session)
            assert found is not None
            verdict = why_not(history, ask.query, Target(found), ask)
            given = given_at(history, ask, session)
        chain.append(verdict.cause)
        if verdict.cause == "index_incomplete":
            print(verdict.asked, verdict.detail, verdict.advice)
        context = f"{ask} {session} {chain} {verdict.detail} {verdict.advice}"
        assert given == verdict.rank, context
        assert (given is not None) == (verdict.cause == "seen"), context
        if given is not None:
            return chain
        now = (verdict.cause, verdict.detail)
        assert now != before, f"still there after it was taken away: {context}"
        assert len(chain) < MOST_CAUSES, context
        before = now
        ask = take_away(bench, verdict, ask)
